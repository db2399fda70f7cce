/* --bwlimit: a bucket that fills with time and is emptied by bytes. It may be overdrawn by what is
 * taken last, so that any block goes through. Pure arithmetic; owned by one thread. */
#ifndef FREVO_CLI_COPY_BUCKET_H
#define FREVO_CLI_COPY_BUCKET_H

#include <stdint.h>

struct bucket {
        uint64_t rate;  /* bytes a second; 0 = no limit */
        int64_t level;  /* bytes that may go now; below 0: owed */
        uint64_t at_us; /* when level was true */
};

void bucket_init(struct bucket *b, uint64_t rate, uint64_t now_us);
/* Microseconds until something may be taken; 0 = now. */
uint64_t bucket_wait_us(struct bucket *b, uint64_t now_us);
void bucket_take(struct bucket *b, uint64_t n);

#endif
