/* See srvsvc.h. What the levels of SHARE_INFO hold ([MS-SRVS] 2.2.4.22-2.2.4.29) is a table: a
 * letter a field, in the order of the wire. */
#include "wire/rpc/srvsvc.h"

#include "wire/rpc/ndr.h"

const struct rpc_syntax srvsvc_syntax = {.uuid = {0xC8, 0x4F, 0x32, 0x4B, 0x70, 0x16, 0xD3, 0x01,
                                                  0x12, 0x78, 0x5A, 0x47, 0xBF, 0x6E, 0xE1, 0x88},
                                         .version = 3};

/* n name, t type, r remark, p permissions, m max_uses, u uses, P path, w password (empty), S scope
 * ("*": all of the server), l length of the descriptor, d descriptor, f flags. */
static const struct {
        uint32_t level;
        bool in_enum;
        const char *fields;
} share_levels[] = {
        {0, true, "n"},      {1, true, "ntr"},          {2, true, "ntrpmuPw"},
        {501, true, "ntrf"}, {502, true, "ntrpmuPwld"}, {503, true, "ntrpmuPwSld"},
        {1005, false, "f"},
};

static const char *share_fields(uint32_t level)
{
        for (size_t i = 0; i < sizeof share_levels / sizeof *share_levels; i++)
                if (share_levels[i].level == level)
                        return share_levels[i].fields;
        return NULL;
}

bool srvsvc_share_level_known(uint32_t level, bool in_enum)
{
        for (size_t i = 0; i < sizeof share_levels / sizeof *share_levels; i++)
                if (share_levels[i].level == level)
                        return share_levels[i].in_enum || !in_enum;
        return false;
}

/* What a pointer field points to; NULL for numbers. */
static const char *string_of(const struct srvsvc_share *s, char field)
{
        switch (field) {
        case 'n':
                return s->name;
        case 'r':
                return s->remark;
        case 'P':
                return s->path;
        case 'S':
                return "*";
        case 'w':
                return ""; /* never told; some clients follow the pointer without a look */
        default:
                return NULL;
        }
}

static uint32_t number_of(const struct srvsvc_share *s, char field)
{
        switch (field) {
        case 't':
                return s->type;
        case 'p':
                return s->permissions;
        case 'm':
                return s->max_uses;
        case 'u':
                return s->uses;
        case 'l':
                return (uint32_t)s->security.n;
        default:
                return s->flags;
        }
}

static void put_share(struct ndr_writer *n, const char *fields, const struct srvsvc_share *s)
{
        for (const char *f = fields; *f; f++) {
                if (*f == 'd')
                        ndr_put_pointer(n, s->security.n > 0);
                else if (strchr("nrPwS", *f))
                        ndr_put_pointer(n, string_of(s, *f) != NULL);
                else
                        ndr_put_u32(n, number_of(s, *f));
        }
}

static void put_share_referents(struct ndr_writer *n, const char *fields,
                                const struct srvsvc_share *s)
{
        for (const char *f = fields; *f; f++) {
                const char *text = string_of(s, *f);
                if (text)
                        ndr_put_wstring(n, text);
                if (*f == 'd' && s->security.n)
                        ndr_put_byte_array(n, s->security);
        }
}

size_t srvsvc_share_len(const struct srvsvc_share *s, uint32_t level)
{
        const char *fields = share_fields(level);
        size_t n = 0;
        for (const char *f = fields ? fields : ""; *f; f++) {
                const char *text = string_of(s, *f);
                n += 4 + (text ? ndr_wstring_len(text) : 0) + (*f == 'd' ? s->security.n : 0);
        }
        return n;
}

/* [in, string, unique] ServerName: which of our names the client used is all the same to us. */
static void skip_server_name(struct cursor *c)
{
        if (ndr_get_pointer(c))
                (void)ndr_get_wstring(c); /* checked by the cursor, not used */
}

static void put_server_name(struct ndr_writer *n, const char *server)
{
        ndr_put_pointer(n, server != NULL);
        if (server)
                ndr_put_wstring(n, server);
}

bool srvsvc_share_enum_req_decode(struct bytes stub, struct srvsvc_share_enum_req *out)
{
        struct srvsvc_share_enum_req q = {0};
        struct cursor c = cur_of(stub);
        skip_server_name(&c);
        q.level = ndr_get_u32(&c);
        uint32_t arm = ndr_get_u32(&c);
        if (!cur_ok(&c) || arm != q.level)
                return false;
        q.level_known = srvsvc_share_level_known(q.level, true);
        if (!q.level_known) {
                *out = q;
                return true;
        }
        if (ndr_get_pointer(&c)) {
                uint32_t entries = ndr_get_u32(&c);
                if (ndr_get_pointer(&c) && ndr_get_count(&c, 4) != 0)
                        return false;
                if (entries != 0)
                        return false;
        }
        q.preferred_max = ndr_get_u32(&c);
        q.has_resume = ndr_get_pointer(&c);
        if (q.has_resume)
                q.resume = ndr_get_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void srvsvc_share_enum_req_encode(struct writer *w, const char *server,
                                  const struct srvsvc_share_enum_req *q)
{
        struct ndr_writer n = ndr_into(w);
        put_server_name(&n, server);
        ndr_put_u32(&n, q->level);
        ndr_put_u32(&n, q->level);
        ndr_put_pointer(&n, true);  /* the container ... */
        ndr_put_u32(&n, 0);         /* ... with no entries ... */
        ndr_put_pointer(&n, false); /* ... and no buffer */
        ndr_put_u32(&n, q->preferred_max);
        ndr_put_pointer(&n, q->has_resume);
        if (q->has_resume)
                ndr_put_u32(&n, q->resume);
}

void srvsvc_share_enum_reply_encode(struct writer *w, const struct srvsvc_share_enum_reply *r)
{
        struct ndr_writer n = ndr_into(w);
        const char *fields = share_fields(r->level);
        ndr_put_u32(&n, r->level);
        ndr_put_u32(&n, r->level);
        if (srvsvc_share_level_known(r->level, true)) {
                ndr_put_pointer(&n, true);
                ndr_put_u32(&n, r->count);
                ndr_put_pointer(&n, r->count > 0);
                if (r->count > 0)
                        ndr_put_u32(&n, r->count); /* conformance */
                for (uint32_t i = 0; i < r->count; i++)
                        put_share(&n, fields, &r->shares[i]);
                for (uint32_t i = 0; i < r->count; i++)
                        put_share_referents(&n, fields, &r->shares[i]);
        }
        ndr_put_u32(&n, r->total);
        ndr_put_pointer(&n, r->has_resume);
        if (r->has_resume)
                ndr_put_u32(&n, r->resume);
        ndr_put_u32(&n, r->status);
}

/* The strings of the level-1 entries: two pointers an entry, whose presence the walk before noted
 * in the views' `p` (NULL = absent). */
static void get_seen_strings(struct cursor *c, struct srvsvc_share_seen *s, bool name, bool remark)
{
        struct bytes v = name ? ndr_get_wstring(c) : bytes_of(NULL, 0);
        struct bytes r = remark ? ndr_get_wstring(c) : bytes_of(NULL, 0);
        if (s) {
                s->name_utf16 = v;
                s->remark_utf16 = r;
        }
}

/* Entries and their strings lie apart: a second cursor walks the fixed parts again. */
static void get_seen(struct cursor *c, uint32_t count, struct srvsvc_share_seen *seen, size_t max)
{
        struct cursor fixed = *c;
        cur_skip(c, (size_t)count * 12);
        for (uint32_t i = 0; i < count && cur_ok(c) && cur_ok(&fixed); i++) {
                struct srvsvc_share_seen *s = i < max ? &seen[i] : NULL;
                bool name = ndr_get_pointer(&fixed);
                uint32_t type = ndr_get_u32(&fixed);
                bool remark = ndr_get_pointer(&fixed);
                if (s)
                        s->type = type;
                get_seen_strings(c, s, name, remark);
        }
        if (!cur_ok(&fixed))
                cur_fail(c);
}

bool srvsvc_share_enum_reply_decode(struct bytes stub, struct srvsvc_share_seen *seen, size_t max,
                                    uint32_t *ret_count, uint32_t *ret_status)
{
        struct cursor c = cur_of(stub);
        uint32_t count = 0;
        uint32_t level = ndr_get_u32(&c), arm = ndr_get_u32(&c); /* of the union: said twice */
        if (level != 1 || arm != 1)
                return false;
        if (ndr_get_pointer(&c)) {
                count = ndr_get_u32(&c);
                bool has_buffer = ndr_get_pointer(&c);
                if (has_buffer && ndr_get_count(&c, 12) != count)
                        cur_fail(&c);
                if (count > LIMIT_RPC_SHARES || (count > 0 && !has_buffer))
                        cur_fail(&c);
                if (cur_ok(&c))
                        get_seen(&c, count, seen, max);
        }
        (void)ndr_get_u32(&c); /* TotalEntries */
        if (ndr_get_pointer(&c))
                (void)ndr_get_u32(&c); /* ResumeHandle */
        uint32_t status = ndr_get_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_count = count;
        *ret_status = status;
        return true;
}

bool srvsvc_share_info_req_decode(struct bytes stub, struct srvsvc_share_info_req *out)
{
        struct srvsvc_share_info_req q = {0};
        struct cursor c = cur_of(stub);
        skip_server_name(&c);
        q.name_utf16 = ndr_get_wstring(&c);
        q.level = ndr_get_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = q;
        return true;
}

void srvsvc_share_info_reply_encode(struct writer *w, uint32_t level, const struct srvsvc_share *s,
                                    uint32_t status)
{
        struct ndr_writer n = ndr_into(w);
        const char *fields = share_fields(level);
        ndr_put_u32(&n, level);
        if (fields)
                ndr_put_pointer(&n, s != NULL);
        if (fields && s) {
                put_share(&n, fields, s);
                put_share_referents(&n, fields, s);
        }
        ndr_put_u32(&n, status);
}

bool srvsvc_level_req_decode(struct bytes stub, uint32_t *ret_level)
{
        struct cursor c = cur_of(stub);
        skip_server_name(&c);
        uint32_t level = ndr_get_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_level = level;
        return true;
}

bool srvsvc_server_level_known(uint32_t level)
{
        return level >= 100 && level <= 102;
}

static void put_server(struct ndr_writer *n, uint32_t level, const struct srvsvc_server *s)
{
        ndr_put_u32(n, s->platform);
        ndr_put_pointer(n, true); /* name */
        if (level >= 101) {
                ndr_put_u32(n, s->major);
                ndr_put_u32(n, s->minor);
                ndr_put_u32(n, s->type);
                ndr_put_pointer(n, true); /* comment */
        }
        if (level == 102) {
                ndr_put_u32(n, s->users);
                ndr_put_u32(n, s->disc);
                ndr_put_u32(n, s->hidden);
                ndr_put_u32(n, s->announce);
                ndr_put_u32(n, s->anndelta);
                ndr_put_u32(n, 0);        /* licenses: unused */
                ndr_put_pointer(n, true); /* userpath */
        }
        ndr_put_wstring(n, s->name);
        if (level >= 101)
                ndr_put_wstring(n, s->comment);
        if (level == 102)
                ndr_put_wstring(n, s->user_path);
}

void srvsvc_server_info_reply_encode(struct writer *w, uint32_t level,
                                     const struct srvsvc_server *s, uint32_t status)
{
        struct ndr_writer n = ndr_into(w);
        bool known = srvsvc_server_level_known(level);
        ndr_put_u32(&n, level);
        if (known)
                ndr_put_pointer(&n, s != NULL);
        if (known && s)
                put_server(&n, level, s);
        ndr_put_u32(&n, status);
}

void srvsvc_time_of_day_reply_encode(struct writer *w, const struct srvsvc_time_of_day *t,
                                     uint32_t status)
{
        struct ndr_writer n = ndr_into(w);
        ndr_put_pointer(&n, true);
        ndr_put_u32(&n, t->elapsed_s);
        ndr_put_u32(&n, t->uptime_ms);
        ndr_put_u32(&n, t->hours);
        ndr_put_u32(&n, t->minutes);
        ndr_put_u32(&n, t->seconds);
        ndr_put_u32(&n, t->hundredths);
        ndr_put_u32(&n, (uint32_t)t->timezone_min);
        ndr_put_u32(&n, t->tick_100us);
        ndr_put_u32(&n, t->day);
        ndr_put_u32(&n, t->month);
        ndr_put_u32(&n, t->year);
        ndr_put_u32(&n, t->weekday);
        ndr_put_u32(&n, status);
}

void srvsvc_status_reply_encode(struct writer *w, uint32_t status)
{
        struct ndr_writer n = ndr_into(w);
        ndr_put_u32(&n, status);
}
