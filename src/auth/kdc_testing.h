/* For tests: two Kerberos realms, A.TEST and B.TEST, that trust each other, of a real MIT KDC: an
 * ordinary process on a loopback port, its files in a folder of its own. The password of every
 * principal made by kdc_kadmin("addprinc -pw secret ...") is for the test to choose. */
#ifndef FREVO_AUTH_KDC_TESTING_H
#define FREVO_AUTH_KDC_TESTING_H

#include <stdbool.h>

/* Whether the programs are installed: krb5kdc, kdb5_util, kadmin.local. */
bool kdc_is_installed(void);

/* Starts it and points this process's Kerberos library at it (KRB5_CONFIG). False: what went wrong
 * has been printed. Then, too, kdc_stop() cleans up. */
bool kdc_start(void);
void kdc_stop(void);

/* The folder of its files. */
const char *kdc_dir(void);
/* Commands of kadmin.local, one a line, for a realm. False if any fails. */
bool kdc_kadmin(const char *realm, const char *commands);

#endif
