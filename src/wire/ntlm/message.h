/* NTLM's three messages ([MS-NLMP] 2.2.1): bytes to structs and back, no cryptography.
 *
 * Decoded fields are views into the message. Texts are raw: UTF-16LE when NTLM_UNICODE is set in
 * the flags, else in some OEM code page (NEGOTIATE's are always OEM). Decoders set *out only on
 * true.
 */
#ifndef FREVO_WIRE_NTLM_MESSAGE_H
#define FREVO_WIRE_NTLM_MESSAGE_H

#include "base/auto.h"
#include "base/bytes.h"
#include "base/writer.h"

/* NEGOTIATE flags, [MS-NLMP] 2.2.2.5. */
enum ntlm_flags {
        NTLM_UNICODE = 1u << 0,
        NTLM_OEM = 1u << 1,
        NTLM_REQUEST_TARGET = 1u << 2,
        NTLM_SIGN = 1u << 4,
        NTLM_SEAL = 1u << 5,
        NTLM_DATAGRAM = 1u << 6,
        NTLM_LM_KEY = 1u << 7,
        NTLM_NTLM = 1u << 9,
        NTLM_ANONYMOUS = 1u << 11,
        NTLM_DOMAIN_SUPPLIED = 1u << 12,
        NTLM_WORKSTATION_SUPPLIED = 1u << 13,
        NTLM_ALWAYS_SIGN = 1u << 15,
        NTLM_TARGET_DOMAIN = 1u << 16,
        NTLM_TARGET_SERVER = 1u << 17,
        NTLM_EXTENDED_SECURITY = 1u << 19,
        NTLM_IDENTIFY = 1u << 20,
        NTLM_TARGET_INFO = 1u << 23,
        NTLM_VERSION = 1u << 25,
        NTLM_128 = 1u << 29,
        NTLM_KEY_EXCH = 1u << 30,
        NTLM_56 = 1u << 31,
};

#define NTLM_MIC_OFFSET 72u /* in AUTHENTICATE, when the message has room for it */
#define NTLM_MIC_LEN 16u

struct ntlm_negotiate {
        uint32_t flags;
        struct bytes domain, workstation; /* only with NTLM_*_SUPPLIED */
        uint64_t version;                 /* only with NTLM_VERSION; for debugging */
};

struct ntlm_challenge {
        uint32_t flags;
        uint8_t challenge[8];
        struct bytes target_name; /* only with NTLM_REQUEST_TARGET */
        struct bytes target_info; /* AV pairs; only with NTLM_TARGET_INFO */
        uint64_t version;
};

struct ntlm_authenticate {
        uint32_t flags;
        struct bytes lm_response, nt_response;
        struct bytes domain, user, workstation;
        struct bytes session_key; /* 0 or 16 bytes; 16 when KEY_EXCH with SIGN or SEAL */
        uint64_t version;
        bool mic_room;             /* the payload leaves room for a MIC: mic is what stands there */
        uint8_t mic[NTLM_MIC_LEN]; /* whether it means anything, the AV flags tell */
};

/* Whether `in` starts with NTLMSSP's signature; *type is 1, 2, 3 or whatever stands there. */
bool ntlm_message_type(struct bytes in, uint32_t *type);

MUST_USE bool ntlm_negotiate_decode(struct bytes in, struct ntlm_negotiate *out);
MUST_USE bool ntlm_challenge_decode(struct bytes in, struct ntlm_challenge *out);
MUST_USE bool ntlm_authenticate_decode(struct bytes in, struct ntlm_authenticate *out);

/* Encoders append to w at offset 0 of the message: w must be empty. Texts as flags say. The
 * authenticate encoder leaves room for a MIC when mic_room, and writes mic there. */
void ntlm_negotiate_encode(struct writer *w, const struct ntlm_negotiate *m);
void ntlm_challenge_encode(struct writer *w, const struct ntlm_challenge *m);
void ntlm_authenticate_encode(struct writer *w, const struct ntlm_authenticate *m);

#endif
