/* The inside of a pool: for the files of this folder only. */
#ifndef FREVO_NET_POOL_IMPL_H
#define FREVO_NET_POOL_IMPL_H

#include "net/pool.h"

/* A connection's place under max_conns; any thread. False: there is none. */
bool net_pool_take_slot(struct net_pool *p);
void net_pool_give_slot(struct net_pool *p);

#endif
