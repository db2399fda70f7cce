/* The nineteen commands: one handler and one file each, named by the table in dispatch.c. */
#ifndef FREVO_FRONT_SMB2_COMMANDS_H
#define FREVO_FRONT_SMB2_COMMANDS_H

struct smb2_call;

void smb2_negotiate(struct smb2_call *c);
void smb2_session_setup(struct smb2_call *c);
void smb2_logoff(struct smb2_call *c);
void smb2_tree_connect(struct smb2_call *c);
void smb2_tree_disconnect(struct smb2_call *c);
void smb2_create(struct smb2_call *c);
void smb2_close(struct smb2_call *c);
void smb2_flush(struct smb2_call *c);
void smb2_read(struct smb2_call *c);
void smb2_write(struct smb2_call *c);
void smb2_lock(struct smb2_call *c);
void smb2_ioctl(struct smb2_call *c);
void smb2_echo(struct smb2_call *c);
void smb2_query_directory(struct smb2_call *c);
void smb2_change_notify(struct smb2_call *c);
void smb2_query_info(struct smb2_call *c);
void smb2_set_info(struct smb2_call *c);
void smb2_oplock_break(struct smb2_call *c);
/* Has no reply; it, too, ends its call. */
void smb2_cancel(struct smb2_call *c);

#endif
