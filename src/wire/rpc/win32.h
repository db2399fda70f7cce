/* Win32 and network management error codes that the services return, [MS-ERREF] 2.2. */
#ifndef FREVO_WIRE_RPC_WIN32_H
#define FREVO_WIRE_RPC_WIN32_H

enum win32_error {
        WIN32_OK = 0,
        WIN32_ACCESS_DENIED = 5,
        WIN32_NOT_ENOUGH_MEMORY = 8,
        WIN32_INVALID_PARAMETER = 87,
        WIN32_INVALID_LEVEL = 124,
        WIN32_MORE_DATA = 234,
        NERR_BUF_TOO_SMALL = 2123,
        NERR_NET_NAME_NOT_FOUND = 2310,
};

#endif
