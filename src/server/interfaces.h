/* The addresses of this machine. */
#ifndef FREVO_SERVER_INTERFACES_H
#define FREVO_SERVER_INTERFACES_H

#include <stddef.h>

#include "front/smb2/front.h"

/* Addresses of interfaces that are up, loopback last; at most max. Returns how many. */
size_t interfaces_list(struct smb2_interface *ret, size_t max);

#endif
