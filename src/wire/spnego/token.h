/* SPNEGO's tokens (RFC 4178 4.2, [MS-SPNG] 2.2.1): bytes to structs and back. Views point into the
 * token decoded. *out is set only on true.
 */
#ifndef FREVO_WIRE_SPNEGO_TOKEN_H
#define FREVO_WIRE_SPNEGO_TOKEN_H

#include "base/auto.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/writer.h"

enum spnego_mech {
        SPNEGO_MECH_OTHER,   /* one we do not know */
        SPNEGO_MECH_NTLMSSP, /* 1.3.6.1.4.1.311.2.2.10 */
        SPNEGO_MECH_KRB5,    /* 1.2.840.113554.1.2.2 */
        SPNEGO_MECH_MS_KRB5  /* 1.2.840.48018.1.2.2: the same, as Windows 2000 misspelt it */
};

enum spnego_kind {
        SPNEGO_UNKNOWN,
        SPNEGO_INIT,    /* negTokenInit or negTokenInit2, in its GSS frame */
        SPNEGO_RESP,    /* negTokenResp */
        SPNEGO_RAW_NTLM /* NTLMSSP without SPNEGO around it */
};

enum spnego_state {
        SPNEGO_ACCEPT_COMPLETED = 0,
        SPNEGO_ACCEPT_INCOMPLETE = 1,
        SPNEGO_REJECT = 2,
        SPNEGO_REQUEST_MIC = 3,
        SPNEGO_NO_STATE = 255 /* the field is absent */
};

struct spnego_init {
        enum spnego_mech mechs[LIMIT_MECH_TYPES];
        size_t mech_count;
        struct bytes
                mech_list; /* MechTypeList as it stands, tag and length included: MICs cover it */
        bool has_token, has_mic, has_hint;
        struct bytes token, mic; /* mechToken, mechListMIC */
};

struct spnego_resp {
        enum spnego_state state;
        bool has_mech, has_token, has_mic;
        enum spnego_mech mech;
        struct bytes token, mic; /* responseToken, mechListMIC */
};

/* By the first bytes only. */
enum spnego_kind spnego_kind_of(struct bytes in);

/* Both forms: RFC 4178's with mechListMIC in [3], Microsoft's with negHints in [3] and the MIC in
 * [4]. reqFlags are passed over ([MS-SPNG] 3.1.5.3). False for an empty list of mechanisms and for
 * more than LIMIT_MECH_TYPES. */
MUST_USE bool spnego_init_decode(struct bytes in, struct spnego_init *out);
MUST_USE bool spnego_resp_decode(struct bytes in, struct spnego_resp *out);

/* Uses mechs, and token, mic and hint where has_ says so; ignores mech_list. SPNEGO_MECH_OTHER
 * cannot be written. */
void spnego_init_encode(struct writer *w, const struct spnego_init *t);
void spnego_resp_encode(struct writer *w, const struct spnego_resp *t);
/* MechTypeList alone, as spnego_init_encode writes it: what a mechListMIC is computed over. */
void spnego_mech_list_encode(struct writer *w, const enum spnego_mech *mechs, size_t n);

#endif
