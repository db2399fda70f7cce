/* For tests: one well-formed request of each command and kind, for cutting up and for seeds. */
#ifndef FREVO_FRONT_SMB2_TESTREQUESTS_H
#define FREVO_FRONT_SMB2_TESTREQUESTS_H

#include "front/smb2/testclient.h"

/* NULL past the end. */
const char *testrequest_name(unsigned i);
/* Begins it in c, on the open of that id. */
void testrequest_put(struct tc *c, unsigned i, struct smb2_file_id id);

#endif
