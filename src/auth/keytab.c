/* See keytab.h. The cifs/ keys are copied to a keytab in memory, and GSSAPI gets to see that one
 * only: it tries every key that it finds.
 *
 * Replay cache: the one of krb5 kept in a memfd. Without any, whoever records an AP-REQ could
 * replay it and, where signing is not required, get an unsigned session; the default file under
 * /var/tmp would bring disk and sandbox into every sign-in. Memory is lost with the process, as the
 * sessions are. */
#include "auth/keytab.h"

#include <errno.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"

enum { LOOK_EVERY_MS = 1000 };

struct keytab_keys {
        atomic_uint refs;
        gss_cred_id_t cred;
        char *realms; /* owned; each followed by '\n' */
};

struct keytab {
        char *path, *realms;  /* owned; realms may be NULL */
        pthread_mutex_t lock; /* guards all below */
        struct keytab_keys *keys;
        struct stat seen;   /* of the file when it was read; zeros = no file, never looked at */
        uint64_t looked_ms; /* clock_ms of the last stat */
        bool bad_logged;
};

/* ---- keys ---- */

bool keytab_keys_serve(const struct keytab_keys *keys, struct bytes realm)
{
        for (const char *at = keys->realms; at && *at;) {
                size_t n = strcspn(at, "\n");
                if (bytes_eq(bytes_of(at, n), realm))
                        return true;
                at += n + 1;
        }
        return false;
}

struct gss_cred_id_struct *keytab_keys_cred(const struct keytab_keys *keys)
{
        return keys->cred;
}

void keytab_keys_unref(struct keytab_keys *keys)
{
        OM_uint32 minor;
        if (!keys || atomic_fetch_sub(&keys->refs, 1) != 1)
                return;
        (void)gss_release_cred(&minor, &keys->cred); /* never fails for GSSAPI's own */
        free(keys->realms);
        free(keys);
}

static bool add_realm(struct keytab_keys *keys, struct bytes realm)
{
        char *more;
        if (keytab_keys_serve(keys, realm))
                return true;
        if (asprintf(&more, "%s%.*s\n", keys->realms ? keys->realms : "", (int)realm.n,
                     (const char *)realm.p) < 0)
                return false;
        free(keys->realms);
        keys->realms = more;
        return true;
}

static bool add_realms(struct keytab_keys *keys, const char *list)
{
        static const char apart[] = ", \t";
        for (list += strspn(list, apart); *list; list += strspn(list, apart)) {
                size_t n = strcspn(list, apart);
                if (!add_realm(keys, bytes_of(list, n)))
                        return false;
                list += n;
        }
        return true;
}

/* ---- reading ---- */

struct reading {
        const char *path;
        char *why; /* KEYTAB_WHY_MAX */
        krb5_context ctx;
        krb5_keytab from, to;
        struct keytab_keys *keys;
        bool own_realms; /* the realms of the keys count */
        unsigned taken;
        char *other; /* owned: a principal that is none of ours, for the message */
};

static bool no_memory(const struct reading *r)
{
        (void)snprintf(r->why, KEYTAB_WHY_MAX, "keytab %s: no memory", r->path);
        return false;
}

static bool failed(const struct reading *r, krb5_error_code code)
{
        const char *text = krb5_get_error_message(r->ctx, code);
        if (code == ENOENT)
                (void)snprintf(r->why, KEYTAB_WHY_MAX,
                               "keytab %s: there is no such file; export the server's key to it "
                               "(kadmin: ktadd -k %s cifs/HOST), or leave 'keytab' out to do "
                               "without Kerberos",
                               r->path, r->path);
        else if (code == EACCES || code == EPERM)
                (void)snprintf(r->why, KEYTAB_WHY_MAX,
                               "keytab %s: %s; the account that runs frevo (uid %u) must be able "
                               "to read it",
                               r->path, strerrordesc_np(code), (unsigned)geteuid());
        else
                (void)snprintf(r->why, KEYTAB_WHY_MAX,
                               "keytab %s: %s; 'klist -k %s' shows whether it is a keytab at all",
                               r->path, text, r->path);
        krb5_free_error_message(r->ctx, text);
        return false;
}

static bool is_cifs(const krb5_principal_data *p)
{
        return p->length == 2 && p->data[0].length == 4 &&
               strncasecmp(p->data[0].data, "cifs", 4) == 0 && p->data[1].length > 0;
}

static void remember_other(struct reading *r, const krb5_principal_data *p)
{
        char *name;
        if (r->other || krb5_unparse_name(r->ctx, p, &name) != 0)
                return;
        r->other = strdup(name); /* NULL: the message goes without */
        krb5_free_unparsed_name(r->ctx, name);
}

static bool take_entry(struct reading *r, krb5_keytab_entry *e)
{
        const krb5_principal_data *p = e->principal;
        if (!is_cifs(p)) {
                remember_other(r, p);
                return true;
        }
        r->taken++;
        if (r->own_realms && !add_realm(r->keys, bytes_of(p->realm.data, p->realm.length)))
                return no_memory(r);
        krb5_error_code code = krb5_kt_add_entry(r->ctx, r->to, e);
        return code == 0 || failed(r, code);
}

static bool copy_entries(struct reading *r)
{
        krb5_kt_cursor at;
        krb5_keytab_entry e;
        bool ok = true;
        krb5_error_code code = krb5_kt_start_seq_get(r->ctx, r->from, &at);
        if (code)
                return failed(r, code);
        while (ok && (code = krb5_kt_next_entry(r->ctx, r->from, &e, &at)) == 0) {
                ok = take_entry(r, &e);
                (void)krb5_free_keytab_entry_contents(r->ctx, &e); /* always 0 */
        }
        (void)krb5_kt_end_seq_get(r->ctx, r->from, &at); /* only read from */
        if (ok && code != KRB5_KT_END)
                return failed(r, code);
        if (ok && r->taken == 0)
                (void)snprintf(r->why, KEYTAB_WHY_MAX,
                               "keytab %s: no key of a principal cifs/HOST in it%s%s; add this "
                               "server's (kadmin: ktadd -k %s cifs/HOST)",
                               r->path, r->other ? ", only others as " : "",
                               r->other ? r->other : "", r->path);
        return ok && r->taken > 0;
}

static char replay_cache[64]; /* "file2:..." */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The descriptor lives as long as the process. */
static void make_replay_cache(void)
{
        int fd = memfd_create("frevo-krb5-replay", MFD_CLOEXEC);
        if (fd >= 0)
                (void)snprintf(replay_cache, sizeof replay_cache, "file2:/proc/self/fd/%d", fd);
        else
                (void)snprintf(replay_cache, sizeof replay_cache, "dfl:");
}

static bool make_cred(struct reading *r, const char *memory)
{
        (void)pthread_once(&once, make_replay_cache); /* cannot fail with a static once */
        gss_key_value_element_desc kv[] = {{"keytab", memory}, {"rcache", replay_cache}};
        gss_key_value_set_desc store = {.count = 2, .elements = kv};
        gss_OID_set_desc mechs = {.count = 1, .elements = (gss_OID)gss_mech_krb5};
        OM_uint32 minor;
        OM_uint32 major = gss_acquire_cred_from(&minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechs,
                                                GSS_C_ACCEPT, &store, &r->keys->cred, NULL, NULL);
        return major == GSS_S_COMPLETE || failed(r, (krb5_error_code)minor);
}

/* The keytab in memory goes with its last user, which is the credential. */
static bool read_into(struct reading *r)
{
        static atomic_uint count;
        char memory[64];
        (void)snprintf(memory, sizeof memory, "MEMORY:frevo-%u", atomic_fetch_add(&count, 1));
        krb5_error_code code = krb5_init_context(&r->ctx);
        if (code == 0)
                code = krb5_kt_resolve(r->ctx, r->path, &r->from);
        if (code == 0)
                code = krb5_kt_resolve(r->ctx, memory, &r->to);
        bool ok = code == 0 ? copy_entries(r) && make_cred(r, memory) : failed(r, code);
        if (r->from)
                (void)krb5_kt_close(r->ctx, r->from); /* only read from */
        if (r->to)
                (void)krb5_kt_close(r->ctx, r->to); /* memory */
        krb5_free_context(r->ctx);
        free(r->other);
        return ok;
}

/* NULL with why[], which is written through r. */
static struct keytab_keys *load(const struct keytab *k, char why[KEYTAB_WHY_MAX]) /* NOLINT */
{
        struct reading r = {
                .path = k->path, .why = why, .keys = calloc(1, sizeof *r.keys), .own_realms = true};
        if (!r.keys) {
                (void)no_memory(&r);
                return NULL;
        }
        atomic_init(&r.keys->refs, 1);
        bool ok = !k->realms || add_realms(r.keys, k->realms) || no_memory(&r);
        r.own_realms = !r.keys->realms;
        if (ok && read_into(&r))
                return r.keys;
        keytab_keys_unref(r.keys);
        return NULL;
}

/* ---- the file ---- */

/* Zeros when it is no file, or gone. */
static struct stat state_of(const char *path)
{
        struct stat st;
        const char *colon = strchr(path, ':');
        if (strncmp(path, "FILE:", 5) == 0 || strncmp(path, "WRFILE:", 7) == 0)
                path = colon + 1;
        if (stat(path, &st) != 0)
                memset(&st, 0, sizeof st);
        return st;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
        return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
               a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
               a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

struct keytab *keytab_open(const char *path, const char *realms, char why[KEYTAB_WHY_MAX])
{
        struct keytab *k = calloc(1, sizeof *k);
        (void)snprintf(why, KEYTAB_WHY_MAX, "keytab %s: no memory", path);
        if (!k || pthread_mutex_init(&k->lock, NULL) != 0) {
                free(k);
                return NULL;
        }
        k->path = strdup(path);
        k->realms = realms ? strdup(realms) : NULL;
        k->looked_ms = clock_ms();
        if (k->path && (k->realms || !realms)) {
                k->seen = state_of(path); /* before it is read: what changes then is seen later */
                k->keys = load(k, why);
        }
        if (k->keys)
                return k;
        keytab_free(k);
        return NULL;
}

void keytab_free(struct keytab *k)
{
        if (!k)
                return;
        keytab_keys_unref(k->keys);
        free(k->path);
        free(k->realms);
        (void)pthread_mutex_destroy(&k->lock); /* nobody uses it any more: the caller's promise */
        free(k);
}

/* Locked. A file that has become bad (or vanished) keeps the old keys. */
static void reload(struct keytab *k)
{
        char why[KEYTAB_WHY_MAX];
        struct stat st = state_of(k->path);
        if (k->seen.st_ino == 0 || same_file(&st, &k->seen))
                return;
        struct keytab_keys *fresh = load(k, why);
        if (fresh) {
                keytab_keys_unref(k->keys);
                k->keys = fresh;
                k->seen = st;
        } else if (!k->bad_logged) {
                log_error("keys are not read again: %s", why);
        }
        k->bad_logged = !fresh;
}

struct keytab_keys *keytab_keys_get(struct keytab *k)
{
        (void)pthread_mutex_lock(&k->lock); /* fails only for broken mutexes */
        if (clock_ms() - k->looked_ms >= LOOK_EVERY_MS) {
                k->looked_ms = clock_ms();
                reload(k);
        }
        struct keytab_keys *keys = k->keys;
        atomic_fetch_add(&keys->refs, 1);
        (void)pthread_mutex_unlock(&k->lock);
        return keys;
}
