/* The list of attribute-value pairs in NTLM's CHALLENGE and in NTLMv2 responses
 * ([MS-NLMP] 2.2.2.1). */
#ifndef FREVO_WIRE_NTLM_AV_PAIR_H
#define FREVO_WIRE_NTLM_AV_PAIR_H

#include "base/auto.h"
#include "base/bytes.h"
#include "base/writer.h"

/* Each also the index in struct ntlm_av_list. */
enum ntlm_av_id {
        NTLM_AV_EOL = 0,
        NTLM_AV_NB_COMPUTER = 1,
        NTLM_AV_NB_DOMAIN = 2,
        NTLM_AV_DNS_COMPUTER = 3,
        NTLM_AV_DNS_DOMAIN = 4,
        NTLM_AV_DNS_TREE = 5,
        NTLM_AV_FLAGS = 6,
        NTLM_AV_TIMESTAMP = 7,
        NTLM_AV_SINGLE_HOST = 8,
        NTLM_AV_TARGET_NAME = 9,
        NTLM_AV_CHANNEL_BINDINGS = 10,
        NTLM_AV_IDS
};

enum ntlm_av_flags {
        NTLM_AV_FLAG_CONSTRAINED = 1u << 0,
        NTLM_AV_FLAG_MIC = 1u << 1,           /* AUTHENTICATE carries a MIC */
        NTLM_AV_FLAG_UNTRUSTED_SPN = 1u << 2, /* the client itself does not trust its target name */
};

/* The known pairs by id, as raw values (texts are UTF-16LE without NUL); views into the message. */
struct ntlm_av_list {
        bool has[NTLM_AV_IDS];
        struct bytes value[NTLM_AV_IDS];
        uint32_t flags;     /* value of NTLM_AV_FLAGS; 0 if absent */
        uint64_t time_ft;   /* value of NTLM_AV_TIMESTAMP; 0 if absent */
        struct bytes pairs; /* the list as it came, up to and without the EOL pair */
};

/* Up to the EOL pair; what follows it is left alone (clients pad). Unknown ids are passed over.
 * False without an EOL, with a pair that leaves the view, the same id twice, a wrong length of
 * flags, time or bindings, or more than LIMIT_AV_PAIRS pairs. *out is set only on true. */
MUST_USE bool ntlm_av_decode(struct bytes in, struct ntlm_av_list *out);

/* One pair each. Text is UTF-8. */
void ntlm_av_put(struct writer *w, enum ntlm_av_id id, struct bytes value);
void ntlm_av_put_text(struct writer *w, enum ntlm_av_id id, const char *text);
void ntlm_av_put_flags(struct writer *w, uint32_t flags);
void ntlm_av_put_time(struct writer *w, uint64_t time_ft);
void ntlm_av_put_end(struct writer *w);

#endif
