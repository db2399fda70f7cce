/* Closing a file that no request waits for: one that was opened for nobody, or whose session ended.
 */
#ifndef FREVO_FRONT_SMB2_LATE_CLOSE_H
#define FREVO_FRONT_SMB2_LATE_CLOSE_H

#include "base/exec.h"
#include "fs/fs.h"

/* Takes the reference; closes on a worker. On the loop of `exec`. Without memory it closes here and
 * now, which may block for once. */
void smb2_late_close(struct exec *exec, struct fs_open *o);

#endif
