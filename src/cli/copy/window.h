/* How many bytes may be under way: twice what the line holds (its rate times its delay), measured.
 * Twice, so that a line that could carry more shows it, and so that a hiccup does not empty it.
 * Pure arithmetic: the caller says what time it is. Owned by one thread. */
#ifndef FREVO_CLI_COPY_WINDOW_H
#define FREVO_CLI_COPY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOW_MIN_BYTES (4u << 20)
#define WINDOW_MAX_BYTES (64u << 20) /* memory for data in flight, of one command */
#define WINDOW_BLOCK_MIN (256u << 10)
#define WINDOW_BLOCK_MAX (1u << 20)
/* What a small file weighs beside its bytes, so that empty ones are bounded too. */
#define WINDOW_FILE_COST (4u << 10)

struct window {
        uint64_t in_flight; /* bytes taken and not given back */
        uint64_t size;      /* bytes allowed */
        uint64_t rate;      /* bytes a second, the best seen lately */
        uint64_t since_us;  /* start of the measurement that runs; 0 = none */
        uint64_t measured;  /* bytes given back since */
};

void window_init(struct window *w);
/* There is room for n, or nothing is in flight at all (so that any n goes in the end). */
bool window_has_room(const struct window *w, uint64_t n);
void window_take(struct window *w, uint64_t n, uint64_t now_us);
/* n bytes arrived. rtt_us: the shortest delay known, 0 = not known. */
void window_give(struct window *w, uint64_t n, uint64_t now_us, unsigned rtt_us);
/* Bytes for one request of a large file; max: what the server allows. */
uint32_t window_block(const struct window *w, uint32_t max);

#endif
