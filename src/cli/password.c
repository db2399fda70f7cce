/* Reading passwords. Files are looked at after they were opened, so that what was checked is what
 * is read. */
#include "cli/password.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "cli/credentials.h"

#define CTRL_C 3
#define CREDENTIALS_MAX (256u * 1024u)

/* An open file that only its owner, we or root, may read; -1 with why set ("" if there is none). */
static int open_private(const char *path, char why[CLI_WHY_MAX])
{
        struct stat st;
        why[0] = 0;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0) {
                if (errno != ENOENT)
                        (void)snprintf(why, CLI_WHY_MAX, "%.100s: %s", path, strerror(errno));
                return -1;
        }
        if (fstat(fd, &st) != 0)
                (void)snprintf(why, CLI_WHY_MAX, "%.100s: %s", path, strerror(errno));
        else if (S_ISDIR(st.st_mode))
                (void)snprintf(why, CLI_WHY_MAX, "%.100s is a folder", path);
        else if (S_ISREG(st.st_mode) && st.st_mode & 077)
                (void)snprintf(why, CLI_WHY_MAX,
                               "%.60s: others may read this file; say: chmod 600 '%.60s'", path,
                               path);
        else if (S_ISREG(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0)
                (void)snprintf(why, CLI_WHY_MAX, "%.100s belongs to somebody else", path);
        if (!why[0])
                return fd;
        (void)close(fd); /* it was read-only */
        return -1;
}

/* At most cap - 1 bytes, until the end; -1 on errors. */
static ssize_t read_text(int fd, char *out, size_t cap)
{
        size_t n = 0;
        for (ssize_t got = 1; got > 0 && n < cap - 1; n += (size_t)(got > 0 ? got : 0)) {
                do
                        got = read(fd, out + n, cap - 1 - n);
                while (got < 0 && errno == EINTR);
                if (got < 0)
                        return -1;
        }
        out[n] = 0;
        return (ssize_t)n;
}

bool password_read(const char *path, char out[PASSWORD_MAX], char why[CLI_WHY_MAX])
{
        AUTO_CLOSE int fd = open_private(path, why);
        if (fd < 0) {
                if (!why[0])
                        (void)snprintf(why, CLI_WHY_MAX, "%.100s: there is no such file", path);
                return false;
        }
        if (read_text(fd, out, PASSWORD_MAX) < 0) {
                (void)snprintf(why, CLI_WHY_MAX, "%.100s: %s", path, strerror(errno));
                return false;
        }
        out[strcspn(out, "\r\n")] = 0;
        (void)snprintf(why, CLI_WHY_MAX, "%.100s: its first line is empty", path);
        return *out != 0;
}

static char *credentials_path(void)
{
        const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
        char *path = NULL;
        int n = config && *config == '/' ? asprintf(&path, "%s/frevo/credentials", config)
                : home && *home          ? asprintf(&path, "%s/.config/frevo/credentials", home)
                                         : -1;
        return n < 0 ? NULL : path;
}

bool password_look_up(const char *host, const char *user, char out[PASSWORD_MAX], char **ret_user,
                      char why[CLI_WHY_MAX])
{
        const char *found_user = NULL, *found = NULL;
        why[0] = 0;
        AUTO_FREE char *path = credentials_path();
        AUTO_CLOSE int fd = path ? open_private(path, why) : -1;
        char *text = fd >= 0 ? malloc(CREDENTIALS_MAX) : NULL;
        bool ok = false;
        if (text && read_text(fd, text, CREDENTIALS_MAX) < 0)
                (void)snprintf(why, CLI_WHY_MAX, "%.100s: %s", path, strerror(errno));
        else if (text && credentials_find(text, host, user, &found_user, &found))
                ok = strlen(found) < PASSWORD_MAX;
        if (ok) {
                (void)snprintf(out, PASSWORD_MAX, "%s", found);
                *ret_user = found_user ? strdup(found_user) : NULL;
        }
        if (text)
                explicit_bzero(text, CREDENTIALS_MAX);
        free(text);
        return ok;
}

/* ---- the terminal ------------------------------------------------------------------------------
 */

static bool read_line(int fd, char out[PASSWORD_MAX])
{
        size_t n = 0;
        char c = 0;
        ssize_t got;
        while ((got = read(fd, &c, 1)) == 1 && c != '\n' && c != CTRL_C)
                if (n < PASSWORD_MAX - 1)
                        out[n++] = c;
        out[n] = 0;
        return got == 1 && c == '\n';
}

static void tell(int fd, const char *text)
{
        (void)!write(fd, text, strlen(text)); /* if the terminal is gone, reading says so too */
}

/* ^C must not leave the terminal without echo: while it is off, ^C ends the line as Enter does. */
static bool ask_unseen(int tty, char out[PASSWORD_MAX])
{
        struct termios old, quiet;
        if (tcgetattr(tty, &old) != 0)
                return false;
        quiet = old;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
        quiet.c_lflag |= ECHONL | ICANON;
        quiet.c_cc[VEOL] = CTRL_C;
        bool ok = tcsetattr(tty, TCSAFLUSH, &quiet) == 0 && read_line(tty, out);
        (void)tcsetattr(tty, TCSAFLUSH, &old); /* it was possible a moment ago */
        return ok;
}

bool password_ask(const char *user, const char *host, char out[PASSWORD_MAX])
{
        char prompt[300];
        AUTO_CLOSE int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
        if (tty < 0)
                return false;
        (void)snprintf(prompt, sizeof prompt, "Password of %.100s at %.100s: ", user, host);
        tell(tty, prompt);
        return ask_unseen(tty, out);
}
