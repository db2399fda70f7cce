/* The server's Kerberos keys: what stands in a keytab file for the service cifs, held in memory.
 *
 * Only keys of principals cifs/HOST@REALM are taken: a ticket for another service that happens to
 * have its key in the same file (host/, HTTP/) lets nobody in. Realms are compared exactly.
 *
 * Thread-safe. The file is looked at again at most once a second, when somebody signs in; a changed
 * one is read anew, and if it has become bad the keys known before stay and the reason is logged
 * once. Conversations under way go on with the keys that they began with.
 */
#ifndef FREVO_AUTH_KEYTAB_H
#define FREVO_AUTH_KEYTAB_H

#include "base/auto.h"
#include "base/bytes.h"

#define KEYTAB_WHY_MAX 512u /* room for an error sentence */

struct keytab;
struct keytab_keys; /* what stood in the file; never changes; counted references */
struct gss_cred_id_struct;

/* path: a file, or any name of a keytab that krb5 knows ("FILE:...", "MEMORY:..."). realms: whose
 * principals may sign in, separated by commas or blanks; NULL or empty: the realms of the cifs/
 * keys. Reads the file. On failure NULL, and why[] says what is wrong, where, and what to do. */
struct keytab *keytab_open(const char *path, const char *realms, char why[KEYTAB_WHY_MAX]);
void keytab_free(struct keytab *k);
AUTO_DEFINE(keytab_free, struct keytab *);

/* For this folder: the keys of now, a new reference. May read the file. */
struct keytab_keys *keytab_keys_get(struct keytab *k);
void keytab_keys_unref(struct keytab_keys *keys);
/* May principals of this realm sign in? */
bool keytab_keys_serve(const struct keytab_keys *keys, struct bytes realm);
/* A credential for accepting, borrowed (gss_cred_id_t). GSSAPI locks it itself: any number of
 * threads may use it at a time, one context each. */
struct gss_cred_id_struct *keytab_keys_cred(const struct keytab_keys *keys);

#endif
