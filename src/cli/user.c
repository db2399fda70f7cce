/* `frevo user`: who may sign in. */
#include <errno.h>
#include <getopt.h>
#include <termios.h>

#include "auth/user_db.h"
#include "cli/command.h"
#include "crypto/hash.h"
#include "server/state_dir.h"

#define PASSWORD_MAX 512

struct wanted {
        const char *verb, *name, *state, *users, *unix_name;
        uint32_t flags;
};

static const struct option options[] = {
        {"state", required_argument, NULL, 's'},
        {"users", required_argument, NULL, 'f'},
        {"unix", required_argument, NULL, 'u'},
        {"admin", no_argument, NULL, 'a'},
        {NULL, 0, NULL, 0},
};

static bool take_arguments(struct wanted *w, int argc, char **argv)
{
        for (int kind; (kind = getopt_long(argc, argv, "", options, NULL)) != -1;) {
                if (kind == 's')
                        w->state = optarg;
                else if (kind == 'f')
                        w->users = optarg;
                else if (kind == 'u')
                        w->unix_name = optarg;
                else if (kind == 'a')
                        w->flags |= USER_ADMIN;
                else
                        return false;
        }
        w->verb = optind < argc ? argv[optind++] : NULL;
        w->name = optind < argc ? argv[optind++] : NULL;
        return w->verb && optind == argc;
}

/* One line from standard input, unseen on a terminal. False at the end of the input. */
static bool read_password(const char *prompt, char out[PASSWORD_MAX])
{
        struct termios old, quiet;
        bool terminal = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &old) == 0;
        if (terminal) {
                quiet = old;
                quiet.c_lflag &= ~(tcflag_t)ECHO;
                (void)fprintf(stderr, "%s", prompt);
                (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet); /* at worst it is seen */
        }
        bool got = fgets(out, PASSWORD_MAX, stdin) != NULL;
        if (terminal) {
                (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &old); /* as above */
                (void)fprintf(stderr, "\n");
        }
        if (got)
                out[strcspn(out, "\r\n")] = 0;
        return got;
}

/* Twice on a terminal, since it is not seen. */
static bool ask_password(char out[PASSWORD_MAX], char why[USER_WHY_MAX])
{
        char again[PASSWORD_MAX] = "";
        bool ok = read_password("New password: ", out) && *out;
        (void)snprintf(why, USER_WHY_MAX, "no password was given");
        if (ok && isatty(STDIN_FILENO)) {
                ok = read_password("Again: ", again) && strcmp(out, again) == 0;
                (void)snprintf(why, USER_WHY_MAX, "the two passwords differ");
        }
        secret_wipe(again, sizeof again);
        return ok;
}

static void print_user(void *arg, const struct user_record *u)
{
        (void)arg;
        (void)printf("%-20s %-10s %s\n", u->name,
                     u->flags & USER_DISABLED ? "disabled"
                     : u->flags & USER_ADMIN  ? "admin"
                                              : "user",
                     *u->unix_name ? u->unix_name : "");
}

static bool apply(struct user_db *db, const struct wanted *w, char why[USER_WHY_MAX])
{
        char password[PASSWORD_MAX] = "";
        bool ok = false;
        if (strcmp(w->verb, "list") == 0)
                return user_db_list(db, print_user, NULL), true;
        if (!w->name)
                (void)snprintf(why, USER_WHY_MAX, "which user?");
        else if (strcmp(w->verb, "remove") == 0)
                ok = user_db_remove(db, w->name, why);
        else if (strcmp(w->verb, "add") == 0)
                ok = ask_password(password, why) &&
                     user_db_add(db, w->name, password, w->flags, w->unix_name, why);
        else if (strcmp(w->verb, "passwd") == 0)
                ok = ask_password(password, why) && user_db_passwd(db, w->name, password, why);
        else
                (void)snprintf(why, USER_WHY_MAX, "'%s': expected add, passwd, list or remove",
                               w->verb);
        secret_wipe(password, sizeof password);
        return ok;
}

/* The file to work on, its folder made if it is the default one. Caller frees. */
static char *users_path(const struct wanted *w)
{
        if (w->users)
                return strdup(w->users);
        AUTO_FREE char *state = w->state ? strdup(w->state) : state_dir_default();
        return state && state_dir_make(state) ? state_dir_path(state, "users") : NULL;
}

int command_user(int argc, char **argv)
{
        struct wanted w = {0};
        char why[USER_WHY_MAX] = "";
        if (!take_arguments(&w, argc, argv)) {
                (void)fprintf(stderr, "frevo user add|passwd|list|remove [NAME] [--admin] "
                                      "[--unix ACCOUNT] [--users FILE | --state FOLDER]\n");
                return EXIT_USAGE;
        }
        AUTO_FREE char *path = users_path(&w);
        if (!path) {
                (void)fprintf(stderr,
                              "frevo user: the folder for the users file: %s; say --users FILE\n",
                              strerror(errno));
                return EXIT_FAILED;
        }
        struct user_db *db = user_db_open(path, why);
        bool ok = db && apply(db, &w, why);
        user_db_free(db);
        if (!ok)
                (void)fprintf(stderr, "frevo user: %s\n", why);
        return ok ? EXIT_DONE : EXIT_FAILED;
}
