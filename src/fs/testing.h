/* A small world for this folder's tests: one service, one volume in memory, a few users. */
#ifndef FREVO_FS_TESTING_H
#define FREVO_FS_TESTING_H

#include "base/testing.h"

#include "base/limits.h"
#include "fs/acl.h"
#include "fs/fs.h"
#include "fs/open.h"
#include "store/mem/mem.h"

#define SHARE_ALL (FS_SHARE_READ | FS_SHARE_WRITE | FS_SHARE_DELETE)
#define RW (FS_READ_DATA | FS_WRITE_DATA | FS_READ_ATTR | FS_WRITE_ATTR | FS_READ_EA | FS_WRITE_EA)

struct world {
        struct fs *fs;
        struct store *mem;
        struct fs_volume *vol;
        struct fs_client *client;
        struct fs_cred *alice; /* uid 1000, S-1-5-21-1-2-3-1000 */
        struct fs_cred *bob;   /* uid 1001, S-1-5-21-1-2-3-1001 */
};

static inline struct sid domain_sid(uint32_t rid)
{
        return (struct sid){.revision = 1, .count = 5, .authority = 5, .sub = {21, 1, 2, 3, rid}};
}

static inline struct fs_cred *cred_with(uid_t uid, unsigned privileges)
{
        struct sid sids[2] = {domain_sid(uid), domain_sid(513)};
        struct fs_cred c = {
                .unix_id = {.uid = uid, .gid = 100},
                .privileges = privileges,
                .nsids = 2,
                .sids = sids,
        };
        struct fs_cred *made = fs_cred_new(&c);
        assert_non_null(made);
        return made;
}

/* Over any store, which the volume takes. */
static inline struct world world_over(struct store *s, const struct fs_volume_config *c)
{
        struct world w = {.fs = fs_new(), .mem = s, .client = fs_client_new(NULL, NULL)};
        assert_non_null(w.fs);
        struct store_open q = {.path = ""};
        struct store_attr everybodys = {.mode = 0777, .uid = 1000};
        struct store_opened root;
        assert_int_equal(s->ops->open(s, NULL, &q, 0, &root), FS_OK);
        assert_int_equal(
                s->ops->set_attr(root.file, NULL, STORE_SET_MODE | STORE_SET_OWNER, &everybodys),
                FS_OK);
        s->ops->close(root.file);
        free(root.real_path);
        w.vol = fs_volume_new(w.fs, s, c);
        assert_non_null(w.vol);
        w.alice = cred_with(1000, 0);
        w.bob = cred_with(1001, 0);
        return w;
}

static inline struct world world_new(void)
{
        struct fs_volume_config c = {
                .name = "test", .file_mode = 0666, .dir_mode = 0777, .streams = true};
        return world_over(store_mem_new(), &c);
}

/* Nothing may be left behind by the test. */
static inline void world_end(struct world *w)
{
        struct fs_stats s;
        fs_stats(w->fs, &s);
        assert_int_equal(s.opens, 0);
        assert_int_equal(s.nodes, 0);
        assert_int_equal(s.locks, 0);
        fs_cred_unref(w->alice);
        fs_cred_unref(w->bob);
        fs_client_unref(w->client);
        fs_volume_unref(w->vol);
        fs_free(w->fs);
}

static inline enum fs_err try_open(struct world *w, struct fs_cred *cred,
                                   const struct fs_open_req *q, struct fs_open **ret)
{
        struct fs_opened o = {0};
        enum fs_err e = fs_open(w->vol, w->client, cred, q, 0, NULL, &o);
        *ret = e ? NULL : o.open;
        return e;
}

static inline struct fs_open_req req(const char *path, uint32_t access,
                                     enum fs_disposition disposition)
{
        return (struct fs_open_req){
                .path = path, .access = access, .share = SHARE_ALL, .disposition = disposition};
}

static inline struct fs_open *must_open(struct world *w, struct fs_open_req q)
{
        struct fs_open *o;
        assert_int_equal(try_open(w, w->alice, &q, &o), FS_OK);
        return o;
}

/* Closes and forgets. */
static inline enum fs_err finish(struct fs_open *o)
{
        enum fs_err e = fs_close(o, 0);
        fs_open_unref(o);
        return e;
}

static inline void make_file(struct world *w, const char *path)
{
        assert_int_equal(finish(must_open(w, req(path, RW, FS_CREATE))), FS_OK);
}

static inline void make_dir(struct world *w, const char *path)
{
        struct fs_open_req q = req(path, FS_READ_ATTR, FS_CREATE);
        q.options = FS_OPT_DIR;
        assert_int_equal(finish(must_open(w, q)), FS_OK);
}

/* What opening an existing name says. */
static inline enum fs_err probe(struct world *w, const char *path)
{
        struct fs_open_req q = req(path, FS_READ_ATTR, FS_OPEN);
        struct fs_open *o;
        enum fs_err e = try_open(w, w->alice, &q, &o);
        if (!e)
                e = finish(o);
        return e;
}

#endif
