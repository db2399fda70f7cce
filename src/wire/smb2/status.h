/* NTSTATUS values, [MS-ERREF] 2.3.1: those that an SMB server sends or a client must understand.
 *
 * One table gives the enum, the name and a short text; a status that is not in it is as valid as
 * one that is, it only has no name here.
 */
#ifndef FREVO_WIRE_SMB2_STATUS_H
#define FREVO_WIRE_SMB2_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, value, text), by rising value. */
#define NT_STATUS_TABLE(X)                                                                         \
        X(STATUS_SUCCESS, 0x00000000, "done")                                                      \
        X(STATUS_PENDING, 0x00000103, "in work, a final reply follows")                            \
        X(STATUS_SOME_NOT_MAPPED, 0x00000107, "some names were not mapped")                        \
        X(STATUS_OPLOCK_BREAK_IN_PROGRESS, 0x00000108, "oplock break in progress")                 \
        X(STATUS_NOTIFY_CLEANUP, 0x0000010b, "the watched directory was closed")                   \
        X(STATUS_NOTIFY_ENUM_DIR, 0x0000010c, "too many changes, list the directory again")        \
        X(STATUS_DATATYPE_MISALIGNMENT, 0x80000002, "misaligned data")                             \
        X(STATUS_BUFFER_OVERFLOW, 0x80000005, "more data than the buffer holds")                   \
        X(STATUS_NO_MORE_FILES, 0x80000006, "end of the listing")                                  \
        X(STATUS_NO_MORE_EAS, 0x80000012, "end of the extended attributes")                        \
        X(STATUS_INVALID_EA_NAME, 0x80000013, "invalid name of an extended attribute")             \
        X(STATUS_EA_LIST_INCONSISTENT, 0x80000014, "malformed list of extended attributes")        \
        X(STATUS_NO_MORE_ENTRIES, 0x8000001a, "end of the enumeration")                            \
        X(STATUS_STOPPED_ON_SYMLINK, 0x8000002d, "a symbolic link in the path")                    \
        X(STATUS_UNSUCCESSFUL, 0xc0000001, "failed")                                               \
        X(STATUS_NOT_IMPLEMENTED, 0xc0000002, "not implemented")                                   \
        X(STATUS_INVALID_INFO_CLASS, 0xc0000003, "unknown information class")                      \
        X(STATUS_INFO_LENGTH_MISMATCH, 0xc0000004, "wrong length for this information class")      \
        X(STATUS_INVALID_HANDLE, 0xc0000008, "invalid handle")                                     \
        X(STATUS_INVALID_PARAMETER, 0xc000000d, "invalid parameter")                               \
        X(STATUS_NO_SUCH_DEVICE, 0xc000000e, "no such device")                                     \
        X(STATUS_NO_SUCH_FILE, 0xc000000f, "no such file")                                         \
        X(STATUS_INVALID_DEVICE_REQUEST, 0xc0000010, "not valid for this kind of object")          \
        X(STATUS_END_OF_FILE, 0xc0000011, "end of file")                                           \
        X(STATUS_WRONG_VOLUME, 0xc0000012, "wrong volume")                                         \
        X(STATUS_MORE_PROCESSING_REQUIRED, 0xc0000016, "authentication goes on")                   \
        X(STATUS_NO_MEMORY, 0xc0000017, "out of memory")                                           \
        X(STATUS_INVALID_VIEW_SIZE, 0xc000001f, "source range past the end of the file")           \
        X(STATUS_ACCESS_DENIED, 0xc0000022, "access denied")                                       \
        X(STATUS_BUFFER_TOO_SMALL, 0xc0000023, "buffer too small")                                 \
        X(STATUS_OBJECT_TYPE_MISMATCH, 0xc0000024, "wrong type of object")                         \
        X(STATUS_NOT_LOCKED, 0xc000002a, "not locked")                                             \
        X(STATUS_OBJECT_NAME_INVALID, 0xc0000033, "invalid name")                                  \
        X(STATUS_OBJECT_NAME_NOT_FOUND, 0xc0000034, "name not found")                              \
        X(STATUS_OBJECT_NAME_COLLISION, 0xc0000035, "name exists already")                         \
        X(STATUS_OBJECT_PATH_INVALID, 0xc0000039, "invalid path")                                  \
        X(STATUS_OBJECT_PATH_NOT_FOUND, 0xc000003a, "path not found")                              \
        X(STATUS_OBJECT_PATH_SYNTAX_BAD, 0xc000003b, "malformed path")                             \
        X(STATUS_DATA_ERROR, 0xc000003e, "data error")                                             \
        X(STATUS_CRC_ERROR, 0xc000003f, "checksum error")                                          \
        X(STATUS_SHARING_VIOLATION, 0xc0000043, "sharing violation")                               \
        X(STATUS_QUOTA_EXCEEDED, 0xc0000044, "quota exceeded")                                     \
        X(STATUS_EAS_NOT_SUPPORTED, 0xc000004f, "no extended attributes here")                     \
        X(STATUS_EA_TOO_LARGE, 0xc0000050, "extended attribute too large")                         \
        X(STATUS_NONEXISTENT_EA_ENTRY, 0xc0000051, "no such extended attribute")                   \
        X(STATUS_NO_EAS_ON_FILE, 0xc0000052, "no extended attributes on this file")                \
        X(STATUS_EA_CORRUPT_ERROR, 0xc0000053, "damaged extended attributes")                      \
        X(STATUS_FILE_LOCK_CONFLICT, 0xc0000054, "conflicts with a byte-range lock")               \
        X(STATUS_LOCK_NOT_GRANTED, 0xc0000055, "lock not granted")                                 \
        X(STATUS_DELETE_PENDING, 0xc0000056, "being deleted")                                      \
        X(STATUS_CTL_FILE_NOT_SUPPORTED, 0xc0000057, "control code not supported on this file")    \
        X(STATUS_INVALID_OWNER, 0xc000005a, "invalid owner")                                       \
        X(STATUS_INVALID_PRIMARY_GROUP, 0xc000005b, "invalid primary group")                       \
        X(STATUS_CANT_DISABLE_MANDATORY, 0xc000005d, "mandatory part can not be disabled")         \
        X(STATUS_NO_LOGON_SERVERS, 0xc000005e, "no logon server reachable")                        \
        X(STATUS_NO_SUCH_LOGON_SESSION, 0xc000005f, "no such logon session")                       \
        X(STATUS_NO_SUCH_PRIVILEGE, 0xc0000060, "no such privilege")                               \
        X(STATUS_PRIVILEGE_NOT_HELD, 0xc0000061, "privilege not held")                             \
        X(STATUS_NO_SUCH_USER, 0xc0000064, "no such user")                                         \
        X(STATUS_NO_SUCH_GROUP, 0xc0000066, "no such group")                                       \
        X(STATUS_WRONG_PASSWORD, 0xc000006a, "wrong password")                                     \
        X(STATUS_LOGON_FAILURE, 0xc000006d, "logon failed")                                        \
        X(STATUS_ACCOUNT_RESTRICTION, 0xc000006e, "account restricted")                            \
        X(STATUS_INVALID_LOGON_HOURS, 0xc000006f, "not at this time")                              \
        X(STATUS_INVALID_WORKSTATION, 0xc0000070, "not from this computer")                        \
        X(STATUS_PASSWORD_EXPIRED, 0xc0000071, "password expired")                                 \
        X(STATUS_ACCOUNT_DISABLED, 0xc0000072, "account disabled")                                 \
        X(STATUS_NONE_MAPPED, 0xc0000073, "no name was mapped")                                    \
        X(STATUS_INVALID_ACL, 0xc0000077, "invalid ACL")                                           \
        X(STATUS_INVALID_SID, 0xc0000078, "invalid SID")                                           \
        X(STATUS_INVALID_SECURITY_DESCR, 0xc0000079, "invalid security descriptor")                \
        X(STATUS_PROCEDURE_NOT_FOUND, 0xc000007a, "procedure not found")                           \
        X(STATUS_RANGE_NOT_LOCKED, 0xc000007e, "range not locked")                                 \
        X(STATUS_DISK_FULL, 0xc000007f, "disk full")                                               \
        X(STATUS_FILE_INVALID, 0xc0000098, "volume changed, file no longer valid")                 \
        X(STATUS_INSUFFICIENT_RESOURCES, 0xc000009a, "out of resources")                           \
        X(STATUS_DFS_EXIT_PATH_FOUND, 0xc000009b, "path leads out of the DFS name space")          \
        X(STATUS_MEDIA_WRITE_PROTECTED, 0xc00000a2, "write-protected")                             \
        X(STATUS_BAD_IMPERSONATION_LEVEL, 0xc00000a5, "impersonation level too low")               \
        X(STATUS_PIPE_NOT_AVAILABLE, 0xc00000ac, "no free pipe instance")                          \
        X(STATUS_INVALID_PIPE_STATE, 0xc00000ad, "pipe in the wrong state")                        \
        X(STATUS_PIPE_BUSY, 0xc00000ae, "pipe busy")                                               \
        X(STATUS_PIPE_DISCONNECTED, 0xc00000b0, "pipe disconnected")                               \
        X(STATUS_PIPE_CLOSING, 0xc00000b1, "pipe closing")                                         \
        X(STATUS_PIPE_CONNECTED, 0xc00000b2, "pipe connected")                                     \
        X(STATUS_PIPE_LISTENING, 0xc00000b3, "pipe waits for a client")                            \
        X(STATUS_INVALID_READ_MODE, 0xc00000b4, "pipe in the wrong read mode")                     \
        X(STATUS_IO_TIMEOUT, 0xc00000b5, "timed out")                                              \
        X(STATUS_FILE_IS_A_DIRECTORY, 0xc00000ba, "is a directory")                                \
        X(STATUS_NOT_SUPPORTED, 0xc00000bb, "not supported")                                       \
        X(STATUS_BAD_NETWORK_PATH, 0xc00000be, "network path not found")                           \
        X(STATUS_NETWORK_BUSY, 0xc00000bf, "network busy")                                         \
        X(STATUS_DEVICE_DOES_NOT_EXIST, 0xc00000c0, "device does not exist")                       \
        X(STATUS_INVALID_NETWORK_RESPONSE, 0xc00000c3, "invalid reply from the network")           \
        X(STATUS_UNEXPECTED_NETWORK_ERROR, 0xc00000c4, "unexpected network error")                 \
        X(STATUS_PRINT_QUEUE_FULL, 0xc00000c6, "print queue full")                                 \
        X(STATUS_NETWORK_NAME_DELETED, 0xc00000c9, "network name deleted")                         \
        X(STATUS_NETWORK_ACCESS_DENIED, 0xc00000ca, "network access denied")                       \
        X(STATUS_BAD_DEVICE_TYPE, 0xc00000cb, "wrong type of share")                               \
        X(STATUS_BAD_NETWORK_NAME, 0xc00000cc, "no such share")                                    \
        X(STATUS_TOO_MANY_NAMES, 0xc00000cd, "too many names")                                     \
        X(STATUS_TOO_MANY_SESSIONS, 0xc00000ce, "too many sessions")                               \
        X(STATUS_SHARING_PAUSED, 0xc00000cf, "sharing paused")                                     \
        X(STATUS_REQUEST_NOT_ACCEPTED, 0xc00000d0, "request not accepted, too many connections")   \
        X(STATUS_NOT_SAME_DEVICE, 0xc00000d4, "not the same volume")                               \
        X(STATUS_FILE_RENAMED, 0xc00000d5, "file was renamed")                                     \
        X(STATUS_PIPE_EMPTY, 0xc00000d9, "pipe empty")                                             \
        X(STATUS_NO_SUCH_DOMAIN, 0xc00000df, "no such domain")                                     \
        X(STATUS_OPLOCK_NOT_GRANTED, 0xc00000e2, "oplock not granted")                             \
        X(STATUS_INVALID_OPLOCK_PROTOCOL, 0xc00000e3, "unexpected oplock acknowledgment")          \
        X(STATUS_INTERNAL_ERROR, 0xc00000e5, "internal error")                                     \
        X(STATUS_INVALID_USER_BUFFER, 0xc00000e8, "invalid buffer")                                \
        X(STATUS_UNEXPECTED_IO_ERROR, 0xc00000e9, "unexpected I/O error")                          \
        X(STATUS_REDIRECTOR_NOT_STARTED, 0xc00000fb, "redirector not started")                     \
        X(STATUS_DIRECTORY_NOT_EMPTY, 0xc0000101, "directory not empty")                           \
        X(STATUS_FILE_CORRUPT_ERROR, 0xc0000102, "damaged file or directory")                      \
        X(STATUS_NOT_A_DIRECTORY, 0xc0000103, "not a directory")                                   \
        X(STATUS_NAME_TOO_LONG, 0xc0000106, "name too long")                                       \
        X(STATUS_CONNECTION_IN_USE, 0xc0000108, "connection in use")                               \
        X(STATUS_TOO_MANY_OPENED_FILES, 0xc000011f, "too many open files")                         \
        X(STATUS_CANCELLED, 0xc0000120, "cancelled")                                               \
        X(STATUS_CANNOT_DELETE, 0xc0000121, "can not be deleted")                                  \
        X(STATUS_FILE_DELETED, 0xc0000123, "file was deleted")                                     \
        X(STATUS_FILE_CLOSED, 0xc0000128, "file was closed")                                       \
        X(STATUS_TIME_DIFFERENCE_AT_DC, 0xc0000133, "clocks differ too much")                      \
        X(STATUS_INVALID_CONNECTION, 0xc0000140, "invalid connection")                             \
        X(STATUS_PIPE_BROKEN, 0xc000014b, "pipe broken")                                           \
        X(STATUS_SECRET_TOO_LONG, 0xc0000157, "secret too long")                                   \
        X(STATUS_LOGON_TYPE_NOT_GRANTED, 0xc000015b, "type of logon not granted")                  \
        X(STATUS_UNMAPPABLE_CHARACTER, 0xc0000162, "unmappable character")                         \
        X(STATUS_INVALID_DEVICE_STATE, 0xc0000184, "not in that state")                            \
        X(STATUS_TRUSTED_DOMAIN_FAILURE, 0xc000018c, "trust failed")                               \
        X(STATUS_ACCOUNT_EXPIRED, 0xc0000193, "account expired")                                   \
        X(STATUS_FS_DRIVER_REQUIRED, 0xc000019c, "file system needs a driver")                     \
        X(STATUS_INVALID_LOCK_RANGE, 0xc00001a1, "invalid lock range")                             \
        X(STATUS_USER_SESSION_DELETED, 0xc0000203, "session deleted")                              \
        X(STATUS_INVALID_BUFFER_SIZE, 0xc0000206, "invalid buffer size")                           \
        X(STATUS_CONNECTION_DISCONNECTED, 0xc000020c, "connection lost")                           \
        X(STATUS_CONNECTION_RESET, 0xc000020d, "connection reset")                                 \
        X(STATUS_PASSWORD_MUST_CHANGE, 0xc0000224, "password must be changed")                     \
        X(STATUS_NOT_FOUND, 0xc0000225, "not found")                                               \
        X(STATUS_DUPLICATE_OBJECTID, 0xc000022a, "object identifier in use")                       \
        X(STATUS_RETRY, 0xc000022d, "try again")                                                   \
        X(STATUS_ACCOUNT_LOCKED_OUT, 0xc0000234, "account locked out")                             \
        X(STATUS_CONNECTION_REFUSED, 0xc0000236, "connection refused")                             \
        X(STATUS_PATH_NOT_COVERED, 0xc0000257, "path not covered by this server")                  \
        X(STATUS_LICENSE_QUOTA_EXCEEDED, 0xc0000259, "licence exceeded")                           \
        X(STATUS_TOO_MANY_LINKS, 0xc0000265, "too many links")                                     \
        X(STATUS_VOLUME_DISMOUNTED, 0xc000026e, "volume dismounted")                               \
        X(STATUS_NOT_A_REPARSE_POINT, 0xc0000275, "not a reparse point")                           \
        X(STATUS_IO_REPARSE_TAG_INVALID, 0xc0000276, "invalid reparse tag")                        \
        X(STATUS_IO_REPARSE_TAG_MISMATCH, 0xc0000277, "reparse tags differ")                       \
        X(STATUS_IO_REPARSE_DATA_INVALID, 0xc0000278, "invalid reparse data")                      \
        X(STATUS_IO_REPARSE_TAG_NOT_HANDLED, 0xc0000279, "reparse tag not handled")                \
        X(STATUS_REPARSE_POINT_NOT_RESOLVED, 0xc0000280, "reparse point not resolved")             \
        X(STATUS_DIRECTORY_IS_A_REPARSE_POINT, 0xc0000281, "directory is a reparse point")         \
        X(STATUS_ENCRYPTION_FAILED, 0xc000028a, "encryption failed")                               \
        X(STATUS_DECRYPTION_FAILED, 0xc000028b, "decryption failed")                               \
        X(STATUS_VOLUME_NOT_UPGRADED, 0xc000029c, "volume not upgraded")                           \
        X(STATUS_OBJECTID_NOT_FOUND, 0xc00002f0, "no object identifier")                           \
        X(STATUS_WRONG_CREDENTIAL_HANDLE, 0xc00002f2, "wrong credentials")                         \
        X(STATUS_NETWORK_SESSION_EXPIRED, 0xc000035c, "session expired")                           \
        X(STATUS_VERIFIER_STOP, 0xc0000421, "stopped")                                             \
        X(STATUS_FILE_SYSTEM_LIMITATION, 0xc0000427, "file system limit reached")                  \
        X(STATUS_REQUEST_OUT_OF_SEQUENCE, 0xc000042a, "requests in the wrong order")               \
        X(STATUS_INVALID_TOKEN, 0xc0000465, "invalid token")                                       \
        X(STATUS_SERVER_UNAVAILABLE, 0xc0000466, "server unavailable")                             \
        X(STATUS_FILE_NOT_AVAILABLE, 0xc0000467, "file not available for now")                     \
        X(STATUS_SHARE_UNAVAILABLE, 0xc0000480, "share unavailable")                               \
        X(STATUS_CALLBACK_BYPASS, 0xc0000503, "callback bypassed")                                 \
        X(STATUS_VIRUS_INFECTED, 0xc0000906, "refused by the virus scanner")                       \
        X(STATUS_CANNOT_BREAK_OPLOCK, 0xc0000909, "oplock can not be broken")                      \
        X(STATUS_HASH_NOT_SUPPORTED, 0xc000a100, "hash not supported")                             \
        X(STATUS_HASH_NOT_PRESENT, 0xc000a101, "hash not present")                                 \
        X(STATUS_OFFLOAD_READ_FLT_NOT_SUPPORTED, 0xc000a2a1, "offloaded read not supported")       \
        X(STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP, 0xc05d0000,                                \
          "no common pre-authentication hash")                                                     \
        X(STATUS_SMB_BAD_CLUSTER_DIALECT, 0xc05d0001, "wrong dialect for this cluster")

enum nt_status {
#define NT_STATUS_ENUM(name, value, text) name = value,
        NT_STATUS_TABLE(NT_STATUS_ENUM)
#undef NT_STATUS_ENUM
};

/* Severity, the two highest bits: success and information carry on, warning and error do not. */
static inline bool nt_status_is_error(uint32_t status)
{
        return status >> 30 == 3;
}
static inline bool nt_status_is_warning(uint32_t status)
{
        return status >> 30 == 2;
}

/* "STATUS_ACCESS_DENIED"; NULL when the table does not have it. Static memory. */
const char *nt_status_name(uint32_t status);
/* "access denied"; "unknown status" when the table does not have it. Static memory. */
const char *nt_status_text(uint32_t status);
/* By name, with or without "STATUS_"; false when the table does not have it. */
bool nt_status_by_name(const char *name, uint32_t *ret_status);

#endif
