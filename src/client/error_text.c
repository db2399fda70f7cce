/* What an error means to a person: by the server's word where it says more than an errno does. */
#include <errno.h>
#include <string.h>

#include "frevo/frevo.h"

#include "wire/smb2/status.h"

#define UNSAID 0xffffffffu /* no server said anything */

struct status_text {
        uint32_t status;
        const char *text;
};
#define ROW(name, text)                                                                            \
        {                                                                                          \
                name, text " (" #name ")"                                                          \
        }

/* Words for people who do not know SMB, with what they can do; the rest is the wire's own table. */
static const struct status_text plain[] = {
        ROW(STATUS_LOGON_FAILURE, "wrong user name or password"),
        ROW(STATUS_WRONG_PASSWORD, "wrong password"),
        ROW(STATUS_NO_SUCH_USER, "the server knows no such user"),
        ROW(STATUS_PASSWORD_EXPIRED, "the password has expired: change it first"),
        ROW(STATUS_PASSWORD_MUST_CHANGE, "the password must be changed before it can be used"),
        ROW(STATUS_ACCOUNT_DISABLED, "this account is disabled: ask the server's administrator"),
        ROW(STATUS_ACCOUNT_EXPIRED, "this account has expired: ask the server's administrator"),
        ROW(STATUS_ACCOUNT_LOCKED_OUT,
            "too many wrong passwords: the account is locked for a while"),
        ROW(STATUS_ACCOUNT_RESTRICTION, "the server does not let this account sign in from here"),
        ROW(STATUS_TIME_DIFFERENCE_AT_DC, "the clocks differ too much: set this computer's"),
        ROW(STATUS_NO_LOGON_SERVERS, "the server can not ask its domain about users at the moment"),
        ROW(STATUS_ACCESS_DENIED, "permission denied by the server"),
        ROW(STATUS_NETWORK_ACCESS_DENIED, "the server does not let this user in over the network"),
        ROW(STATUS_BAD_NETWORK_NAME, "the server has no share of this name"),
        ROW(STATUS_NETWORK_NAME_DELETED, "the share is gone"),
        ROW(STATUS_BAD_NETWORK_PATH, "the server knows no such place in the network"),
        ROW(STATUS_OBJECT_NAME_NOT_FOUND, "no such file or folder"),
        ROW(STATUS_NO_SUCH_FILE, "no such file or folder"),
        ROW(STATUS_OBJECT_PATH_NOT_FOUND, "a folder on the way does not exist"),
        ROW(STATUS_OBJECT_NAME_COLLISION, "the name exists already"),
        ROW(STATUS_OBJECT_NAME_INVALID, "the server can not store this name"),
        ROW(STATUS_OBJECT_PATH_SYNTAX_BAD, "the server can not make sense of this path"),
        ROW(STATUS_FILE_IS_A_DIRECTORY, "it is a folder"),
        ROW(STATUS_NOT_A_DIRECTORY, "it is not a folder"),
        ROW(STATUS_DIRECTORY_NOT_EMPTY, "the folder is not empty"),
        ROW(STATUS_SHARING_VIOLATION, "somebody else has the file open: close it there first"),
        ROW(STATUS_FILE_LOCK_CONFLICT, "somebody else has locked this part of the file"),
        ROW(STATUS_LOCK_NOT_GRANTED, "somebody else holds the lock"),
        ROW(STATUS_DELETE_PENDING, "it is being deleted: somebody still has it open"),
        ROW(STATUS_CANNOT_DELETE, "it is read-only, or else not to be deleted"),
        ROW(STATUS_DISK_FULL, "the server's disk is full"),
        ROW(STATUS_QUOTA_EXCEEDED, "this user's disk quota is used up"),
        ROW(STATUS_MEDIA_WRITE_PROTECTED, "the share or its disk is read-only"),
        ROW(STATUS_FILE_SYSTEM_LIMITATION, "larger than the server's file system allows"),
        ROW(STATUS_STOPPED_ON_SYMLINK, "the path leads through a symbolic link"),
        ROW(STATUS_PATH_NOT_COVERED, "it lies on another server (DFS): connect to that one"),
        ROW(STATUS_NOT_SUPPORTED, "the server can not do this"),
        ROW(STATUS_USER_SESSION_DELETED, "the server has ended the session: connect again"),
        ROW(STATUS_NETWORK_SESSION_EXPIRED, "the sign-in has expired: connect again"),
        ROW(STATUS_TOO_MANY_SESSIONS, "too many users on the server: try again later"),
        ROW(STATUS_REQUEST_NOT_ACCEPTED, "too many connections to the server: try again later"),
        ROW(STATUS_INSUFFICIENT_RESOURCES, "the server is short of memory: try again later"),
        ROW(STATUS_VIRUS_INFECTED, "the server's virus scanner refused it"),
        ROW(STATUS_INVALID_PARAMETER, "the server did not understand the request"),
};

static const struct status_text others[] = {
#define X(name, value, text) ROW(name, text),
        NT_STATUS_TABLE(X)
#undef X
};

static const struct {
        int err;
        const char *text;
} errnos[] = {
        {ENOENT, "no such file or folder"},
        {EEXIST, "the name exists already"},
        {EACCES, "permission denied"},
        {EISDIR, "it is a folder"},
        {ENOTDIR, "it is not a folder"},
        {ENOTEMPTY, "the folder is not empty"},
        {EINVAL, "not possible like this: a name with '\\', \".\" or \"..\", or a wrong value"},
        {EILSEQ, "the name is not valid UTF-8"},
        {ENAMETOOLONG, "the name is too long"},
        {EFBIG, "the file is too large"},
        {ENOMEM, "out of memory"},
        {ECANCELED, "cancelled"},
        {ETIMEDOUT, "the server does not answer"},
        {ECONNREFUSED, "nothing listens there: is the server running, and the port right?"},
        {ECONNRESET, "the connection was lost; it is not known whether the server did it"},
        {ENOTCONN, "there is no connection to the server"},
        {EHOSTUNREACH, "no way to the server: is the network up?"},
        {ENETUNREACH, "no way to the server: is the network up?"},
        {EHOSTDOWN, "the server is down"},
        {EADDRNOTAVAIL, "no such server: is the name right?"},
        {EPROTO, "the server's answer makes no sense"},
        {EMSGSIZE, "more than the server takes in one request"},
        {ESTALE, "the file was lost with the connection: open it again"},
        {ENOTSUP, "the server can not do this"},
        {ELOOP, "the path leads through a symbolic link"},
        {EBUSY, "somebody else has the file open: close it there first"},
};

static const char *find(const struct status_text *rows, size_t n, uint32_t status)
{
        for (size_t i = 0; i < n; i++)
                if (rows[i].status == status)
                        return rows[i].text;
        return NULL;
}

const char *frevo_error_text(int err, uint32_t ntstatus)
{
        const char *text = NULL;
        if (ntstatus != UNSAID && ntstatus != STATUS_SUCCESS) {
                text = find(plain, sizeof plain / sizeof plain[0], ntstatus);
                if (!text)
                        text = find(others, sizeof others / sizeof others[0], ntstatus);
        }
        for (size_t i = 0; !text && i < sizeof errnos / sizeof errnos[0]; i++)
                if (errnos[i].err == err)
                        text = errnos[i].text;
        if (!text)
                text = strerrordesc_np(err);
        return text ? text : "unknown error";
}

const char *frevo_status_name(uint32_t ntstatus)
{
        const char *name = nt_status_name(ntstatus);
        return name ? name : "";
}
