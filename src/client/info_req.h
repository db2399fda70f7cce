/* QUERY_INFO and SET_INFO about an open file, in the shape of file_req.send. */
#ifndef FREVO_CLIENT_INFO_REQ_H
#define FREVO_CLIENT_INFO_REQ_H

#include "client/file.h"
#include "wire/fscc/class.h"

struct info_query {
        uint8_t class; /* enum file_class */
        uint32_t max;  /* bytes of the answer */
        struct bytes input;
        uint32_t flags;
};
void info_query_send(struct file_req *r, const struct info_query *query);
/* The answer; false: none, or longer than asked for. STATUS_BUFFER_OVERFLOW counts as an answer:
 * the caller looks at r->q.status. */
bool info_query_answer(const struct file_req *r, uint32_t max, struct bytes *ret) MUST_USE;
void info_set_send(struct file_req *r, uint8_t class, struct bytes value);

#endif
