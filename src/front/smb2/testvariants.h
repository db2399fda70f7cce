/* For tests: one well-formed request of each create context, information class and control code,
 * beside the one of each command that testrequests.h has. */
#ifndef FREVO_FRONT_SMB2_TESTVARIANTS_H
#define FREVO_FRONT_SMB2_TESTVARIANTS_H

#include "front/smb2/testclient.h"

/* NULL past the end. */
const char *testvariant_name(unsigned i);
/* Begins it in c, on the open of that id. */
void testvariant_put(struct tc *c, unsigned i, struct smb2_file_id id);

#endif
