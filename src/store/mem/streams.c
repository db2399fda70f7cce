/* See streams.h. A stream is a node of its own that no directory knows. */
#include "store/mem/streams.h"

#include "base/auto.h"
#include "base/utf16.h"

struct mem_node *mem_stream_find(struct mem_node *file, const char *name, bool exact)
{
        struct mem_node *other = NULL;
        for (struct mem_node *n = file->streams; n; n = n->next_stream) {
                if (strcmp(n->stream_name, name) == 0)
                        return n;
                if (!exact && name_casecmp(n->stream_name, name) == 0)
                        other = n;
        }
        return other;
}

struct mem_node *mem_stream_add(struct mem_node *file, const char *name, uint64_t ino)
{
        struct mem_node *n = mem_node_new(STORE_FILE, ino);
        if (!n || !(n->stream_name = strdup(name))) {
                mem_node_unref(n);
                return NULL;
        }
        n->next_stream = file->streams;
        file->streams = n;
        return n;
}

void mem_stream_remove(struct mem_node *file, struct mem_node *stream)
{
        struct mem_node **at = &file->streams;
        while (*at && *at != stream)
                at = &(*at)->next_stream;
        if (!*at)
                return;
        *at = stream->next_stream;
        stream->next_stream = NULL;
        mem_node_unref(stream);
}

static bool is_listed(const struct mem_node *file, const struct mem_node *stream)
{
        const struct mem_node *n = file->streams;
        while (n && n != stream)
                n = n->next_stream;
        return n;
}

enum fs_err mem_stream_rename(struct mem_node *file, struct mem_node *stream, const char *to,
                              bool replace)
{
        if (!is_listed(file, stream))
                return FS_STALE;
        struct mem_node *there = mem_stream_find(file, to, false);
        if (there && there != stream && !replace)
                return FS_EXISTS;
        char *name = strdup(to);
        if (!name)
                return FS_NO_MEMORY;
        if (there && there != stream)
                mem_stream_remove(file, there);
        free(stream->stream_name);
        stream->stream_name = name;
        return FS_OK;
}
