/* `frevo mount`: a share as a folder of this machine; `frevo umount` ends that.
 *
 * Also what mount(8) calls for `mount -t fuse.frevo ADDRESS FOLDER -o ...` and for fstab's lines:
 * either mount.fuse(8), as `frevo ADDRESS FOLDER -o ...`, or this program by the name of
 * mount.fuse.frevo. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/auto.h"
#include "cli/address.h"
#include "cli/command.h"
#include "cli/connect.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "mount/run.h"
#include "mount/settings.h"

#define CREDENTIALS_MAX 4096u

struct mount_how {
        struct mount_settings s;
        bool foreground;
};

static bool take_options(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct mount_how *how = into;
        return settings_add(&how->s, value, why);
}

/* Of the shape that all options have. */
static bool take_ignored(void *into, const char *value, char why[CLI_WHY_MAX]) /* NOLINT */
{
        (void)into;
        (void)value;
        (void)why;
        return true;
}

static const struct cli_option options[] = {
        {"options", 'o', CLI_CALL, 0, "OPTION,...", "options of the mount, see below",
         take_options},
        {"foreground", 'f', CLI_FLAG, offsetof(struct mount_how, foreground), NULL,
         "stay in the foreground until it is unmounted", NULL},
        {"type", 't', CLI_CALL, 0, "TYPE", "for mount(8): ignored", take_ignored},
        {"sloppy", 's', CLI_CALL, 0, NULL, "for mount(8): ignored", take_ignored},
        {"no-mtab", 'n', CLI_CALL, 0, NULL, "for mount(8): ignored", take_ignored},
        {0},
};
const struct cli_spec spec_mount = {
        .name = "mount",
        .takes = "URL FOLDER",
        .text = "use a share as a folder of this machine",
        .more = "The folder shows what the address names until 'frevo umount FOLDER', 'fusermount3 "
                "-u FOLDER' or 'umount FOLDER'. Root is not needed.\n\n"
                "  frevo mount smb://nas/docs ~/docs\n"
                "  frevo mount smb://nas/docs /mnt -o credentials=/etc/nas,allow_other,uid=1000\n\n"
                "In /etc/fstab:\n\n"
                "  smb://nas/docs /mnt fuse.frevo credentials=/etc/nas,_netdev,allow_other 0 0\n\n"
                "Options (those of mount.cifs have its names): username=, domain=, password=, "
                "credentials=FILE (lines username=, password=, domain=), sec=krb5|ntlmssp|none, "
                "seal (encrypt), vers=, uid=, gid=, file_mode=, dir_mode=, ro. "
                "cache=SECONDS|strict: how long names and attributes are believed where the server "
                "gives no leases (1). retry=SECONDS: how long a lost server is waited for (a day). "
                "lazy_create: new files are sent as one request when they are closed; until then "
                "no other machine sees their names, and one may take them. quiet: a change of "
                "owner is ignored. "
                "idle_handles=N: files kept open for the next user (256). Those of fuse: "
                "allow_other, default_permissions, noexec, nosuid, nodev ...",
        .options = options,
        .shared = CLI_CONNECTS,
        .min_args = 2,
        .max_args = 2,
};

/* ---- who we are --------------------------------------------------------------------------------
 */

static bool read_credentials(struct mount_how *how, struct cli_options *o)
{
        char text[CREDENTIALS_MAX + 1], why[SETTINGS_WHY_MAX] = "";
        AUTO_CLOSE int fd = open(how->s.credentials, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, CREDENTIALS_MAX);
        if (n < 0) {
                cli_fail_text(o, "credentials: %s", strerror(errno));
                return false;
        }
        text[n] = 0;
        bool ok = settings_add_credentials(&how->s, text, why);
        explicit_bzero(text, sizeof text);
        if (!ok)
                cli_fail_text(o, "credentials: %s", why);
        return ok;
}

/* The mount's options over the command's, and its password as one that was found already. */
static bool set_options(struct mount_how *how, struct cli_options *o, const char *url)
{
        const struct mount_settings *s = &how->s;
        if (s->credentials && !read_credentials(how, o))
                return false;
        if (s->user)
                o->user = s->user;
        if (s->domain)
                o->domain = s->domain;
        if (s->min_dialect) {
                o->min_dialect = s->min_dialect;
                o->max_dialect = s->max_dialect;
        }
        o->encrypt |= s->encrypt;
        o->kerberos |= s->kerberos;
        o->anonymous |= s->anonymous;
        o->reconnect_ms = s->reconnect_ms;
        struct frevo_url u = {0};
        if (!s->password || frevo_url_parse(url, &u, &(const char *){NULL}) != 0)
                return true;
        const char *user = o->user ? o->user : u.user ? u.user : "guest";
        o->secret = strdup(s->password);
        o->secret_user = strdup(user);
        o->secret_host = strdup(u.host);
        frevo_url_free(&u);
        return o->secret && o->secret_user && o->secret_host;
}

/* ---- in the background -------------------------------------------------------------------------
 */

struct parent {
        int pipe; /* its end of it is closed when the mount is there; -1: none */
};

static void detach(void *arg)
{
        struct parent *p = arg;
        const char ok = EXIT_DONE;
        if (p->pipe < 0)
                return;
        (void)setsid(); /* fails for a leader of a group, which a fork's child is not */
        (void)chdir("/") /* as it keeps a file system busy otherwise */;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int fd = 0; null >= 0 && fd <= 2; fd++)
                (void)dup2(null, fd);
        if (null > 2)
                (void)close(null);
        (void)write(p->pipe, &ok, 1); /* the parent ends in any case when the pipe is closed */
        (void)close(p->pipe);
        p->pipe = -1;
}

static int serve(struct mount_how *how, struct cli_options *o, char **args, struct parent *parent)
{
        struct frevo_share *share = NULL;
        char *path = NULL;
        struct frevo_ctx *c = frevo_new();
        AUTO_FREE char *shown = cli_url_shown(args[0]);
        if (!c || !shown) {
                cli_fail_text(o, "cannot begin: %s", strerror(errno));
                return EXIT_FAILED;
        }
        if (cli_connect(c, args[0], o, &share, &path) == 0) {
                cli_options_fini(o); /* the library keeps what it needs of the password */
                int err = mount_run(&(struct mount_plan){.ctx = c,
                                                         .share = share,
                                                         .path = path,
                                                         .point = args[1],
                                                         .source = shown,
                                                         .fuse = how->s.fuse,
                                                         .conf = how->s.conf,
                                                         .ready = detach,
                                                         .arg = parent});
                if (err)
                        cli_fail_text(o, "%s: the mount failed: %s", args[1], strerror(err));
                cli_print_stats(o, c);
                frevo_share_release(share);
                free(path);
        }
        frevo_free(c);
        return cli_status(o);
}

/* The child's word, or that it ended without one. */
static int wait_for_child(int fd, pid_t child)
{
        char word = EXIT_FAILED;
        int status = 0;
        ssize_t n;
        do
                n = read(fd, &word, 1);
        while (n < 0 && errno == EINTR);
        if (n == 1)
                return word;
        if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status))
                return WEXITSTATUS(status);
        return EXIT_FAILED;
}

static int in_background(struct mount_how *how, struct cli_options *o, char **args)
{
        int pipes[2];
        if (pipe2(pipes, O_CLOEXEC) < 0) {
                cli_fail_text(o, "cannot begin: %s", strerror(errno));
                return EXIT_FAILED;
        }
        pid_t child = fork();
        if (child > 0) {
                (void)close(pipes[1]);
                int status = wait_for_child(pipes[0], child);
                (void)close(pipes[0]);
                return status;
        }
        (void)close(pipes[0]);
        if (child == 0)
                return serve(how, o, args, &(struct parent){.pipe = pipes[1]});
        (void)close(pipes[1]);
        cli_fail_text(o, "cannot begin: %s", strerror(errno));
        return EXIT_FAILED;
}

int command_mount(int argc, char **argv)
{
        struct cli_options o;
        struct mount_how how = {0};
        char folder[PATH_MAX];
        int first = 0, status = EXIT_FAILED;
        if (!settings_init(&how.s, getuid(), getgid()))
                return EXIT_FAILED;
        int go = cli_parse(&spec_mount, argc, argv, &o, &how, &first);
        if (go != CLI_GO_ON) {
                settings_fini(&how.s);
                return go;
        }
        if (!realpath(argv[first + 1], folder)) {
                cli_fail_text(&o, "%s: %s", argv[first + 1], strerror(errno));
        } else if (set_options(&how, &o, argv[first])) {
                char *args[] = {argv[first], folder};
                status = how.foreground ? serve(&how, &o, args, &(struct parent){.pipe = -1})
                                        : in_background(&how, &o, args);
        }
        cli_options_fini(&o);
        settings_fini(&how.s);
        return status;
}

/* ---- ending it ---------------------------------------------------------------------------------
 */

const struct cli_spec spec_umount = {
        .name = "umount",
        .takes = "FOLDER...",
        .text = "end the use of a share as a folder",
        .more = "What was written is at the server when the folder is free.\n\n"
                "  frevo umount ~/docs",
        .min_args = 1,
};

/* fusermount3 may do that for users who may not. */
static bool unmount(const char *folder)
{
        char *args[] = {"fusermount3", "-u", "--", (char *)(uintptr_t)folder, NULL};
        pid_t child;
        int status = 0;
        int err = posix_spawnp(&child, "fusermount3", NULL, NULL, args, environ);
        if (err) {
                errno = err;
                return false;
        }
        return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int command_umount(int argc, char **argv)
{
        struct cli_options o;
        int first = 0;
        int go = cli_parse(&spec_umount, argc, argv, &o, NULL, &first);
        if (go != CLI_GO_ON)
                return go;
        for (int i = first; i < argc; i++) {
                errno = 0;
                if (!unmount(argv[i]))
                        cli_fail_text(&o, "%s: not unmounted%s%s", argv[i], errno ? ": " : "",
                                      errno ? strerror(errno) : "");
        }
        return cli_status(&o);
}

/* ---- by mount(8) -------------------------------------------------------------------------------
 */

bool mount_is_meant(int argc, char **argv)
{
        const char *slash = argc ? strrchr(argv[0], '/') : NULL;
        const char *name = slash ? slash + 1 : argc ? argv[0] : "";
        return strcmp(name, "mount.fuse.frevo") == 0 || strcmp(name, "mount.frevo") == 0 ||
               (argc > 2 && cli_is_url(argv[1]));
}
