/* See state_dir.h. */
#include "server/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

char *state_dir_path(const char *dir, const char *name)
{
        char *s;
        return asprintf(&s, "%s/%s", dir, name) < 0 ? NULL : s;
}

char *state_dir_default(void)
{
        const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
        if (geteuid() == 0)
                return strdup("/var/lib/frevo");
        if (xdg && *xdg == '/')
                return state_dir_path(xdg, "frevo");
        return home && *home == '/' ? state_dir_path(home, ".local/state/frevo") : NULL;
}

bool state_dir_make(const char *dir)
{
        AUTO_FREE char *path = strdup(dir);
        if (!path)
                return false;
        for (char *p = path + 1; *p; p++) {
                if (*p != '/')
                        continue;
                *p = 0;
                if (mkdir(path, 0755) != 0 && errno != EEXIST)
                        return false;
                *p = '/';
        }
        if (mkdir(path, 0700) == 0)
                return true;
        struct stat st;
        if (errno != EEXIST || stat(path, &st) != 0)
                return false;
        errno = ENOTDIR;
        return S_ISDIR(st.st_mode);
}

static bool guid_read(const char *path, uint8_t guid[16])
{
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return false;
        errno = EINVAL; /* a short file is no guid */
        return read(fd, guid, 16) == 16;
}

bool state_dir_guid(const char *dir, uint8_t guid[16])
{
        AUTO_FREE char *path = state_dir_path(dir, "server-guid");
        if (!path)
                return false;
        if (guid_read(path, guid))
                return true;
        if (errno != ENOENT || getrandom(guid, 16, 0) != 16)
                return false;
        AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        return fd >= 0 && write(fd, guid, 16) == 16 && fsync(fd) == 0;
}
