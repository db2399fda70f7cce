/* `frevo serve` and `frevo check`: the command line becomes settings; src/server does the rest. */
#include "server/serve.h"

#include <getopt.h>
#include <limits.h>
#include <pwd.h>

#include "auth/keytab.h"
#include "auth/user_db.h"
#include "cli/command.h"
#include "crypto/hash.h"
#include "server/state_dir.h"

struct wanted {
        struct server_config config;
        char error[CONFIG_ERROR_TEXT];
        const char *user;
        char *password; /* owned */
        bool from_file;
};

static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"port", required_argument, NULL, 's'},
        {"listen", required_argument, NULL, 's'},
        {"state", required_argument, NULL, 's'},
        {"users", required_argument, NULL, 's'},
        {"name", required_argument, NULL, 's'},
        {"log-level", required_argument, NULL, 's'},
        {"signing", required_argument, NULL, 's'},
        {"encryption", required_argument, NULL, 's'},
        {"loops", required_argument, NULL, 's'},
        {"workers", required_argument, NULL, 's'},
        {"busy-poll", required_argument, NULL, 's'},
        {"keytab", required_argument, NULL, 's'},
        {"kerberos-realms", required_argument, NULL, 's'},
        {"share", required_argument, NULL, 'S'},
        {"user", required_argument, NULL, 'u'},
        {"password", required_argument, NULL, 'p'},
        {"foreground", no_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
};

static void print_setting(void *ctx, const char *section, const char *name, const char *takes,
                          const char *text)
{
        const char **last = ctx;
        if (*last != section)
                (void)printf(strcmp(section, "share") == 0 ? "\n[share NAME]\n" : "\n[server]\n");
        *last = section;
        (void)printf("  %-16s %-28s %s\n", name, takes, text);
}

void command_serve_help(void)
{
        const char *last = NULL;
        (void)printf("\nfrevo serve FOLDER          share FOLDER, for one user, with a password "
                     "made up\n"
                     "  --user NAME               that user (default: who you are)\n"
                     "  --password TEXT           that password (better: FREVO_PASSWORD)\n"
                     "  --share NAME=PATH[,setting[=value]]...   one more share\n"
                     "  --config FILE             read FILE, with the settings below\n"
                     "  --SETTING VALUE           any setting of [server]\n");
        config_describe(print_setting, &last);
}

/* "/srv/My Files" -> "My Files"; the root of the file system is called "files". */
static bool add_folder(struct wanted *w, const char *folder)
{
        char path[PATH_MAX], spec[2 * PATH_MAX];
        if (!realpath(folder, path)) {
                (void)snprintf(w->error, sizeof w->error, "%s: %m", folder);
                return false;
        }
        const char *name = strrchr(path, '/') + 1;
        (void)snprintf(spec, sizeof spec, "%s=%s", *name ? name : "files", path);
        if (strchr(path, ',')) {
                (void)snprintf(w->error, sizeof w->error,
                               "%s: a ',' in the path needs a configuration file", folder);
                return false;
        }
        return config_add_share(&w->config, spec, w->error);
}

static bool take_option(struct wanted *w, int kind, int index)
{
        switch (kind) {
        case 'c':
                w->from_file = true;
                return config_read(&w->config, optarg, w->error);
        case 's':
                return config_set(&w->config, options[index].name, optarg, w->error);
        case 'S':
                return config_add_share(&w->config, optarg, w->error);
        case 'u':
                w->user = optarg;
                return true;
        case 'p':
                w->password = strdup(optarg);
                memset(optarg, '*', strlen(optarg)); /* out of the list of processes */
                return w->password != NULL;
        case 'f':
                return true; /* it always stays in the foreground */
        default:
                (void)snprintf(w->error, sizeof w->error, "see 'frevo help serve'");
                return false;
        }
}

static bool take_arguments(struct wanted *w, int argc, char **argv)
{
        int kind, index = 0;
        const char *env = getenv("FREVO_PASSWORD");
        while ((kind = getopt_long(argc, argv, "", options, &index)) != -1)
                if (!take_option(w, kind, index))
                        return false;
        for (int i = optind; i < argc; i++)
                if (!add_folder(w, argv[i]))
                        return false;
        /* Where users are configured it is a client's password that lies about in the environment.
         */
        if (!w->password && env && (w->user || (!w->from_file && !w->config.users)))
                w->password = strdup(env);
        (void)unsetenv("FREVO_PASSWORD"); /* fails for a bad name only */
        return config_check(&w->config, w->error);
}

static void count_user(void *arg, const struct user_record *u)
{
        (void)u;
        ++*(size_t *)arg;
}

/* Users kept in a file are used if the configuration or the state folder has any; otherwise the
 * server is for one user. */
static bool is_for_one_user(const struct wanted *w)
{
        char why[USER_WHY_MAX];
        if (w->user || w->password)
                return true;
        if (w->from_file || w->config.users)
                return false;
        AUTO_FREE char *state = w->config.state ? strdup(w->config.state) : state_dir_default();
        AUTO_FREE char *path = state ? state_dir_path(state, "users") : NULL;
        struct user_db *db = path ? user_db_open(path, why) : NULL;
        size_t n = 0;
        if (db)
                (void)user_db_list(db, count_user, &n); /* counts as well, and returns the same */
        user_db_free(db);
        return n == 0;
}

static const char *who_am_i(void)
{
        const char *sudo = getenv("SUDO_USER");
        struct passwd *pw = getpwuid(geteuid());
        if (geteuid() == 0 && sudo && *sudo)
                return sudo;
        return pw ? pw->pw_name : "user";
}

int command_serve(int argc, char **argv)
{
        struct wanted w = {0};
        config_init(&w.config);
        int status = EXIT_USAGE;
        if (take_arguments(&w, argc, argv)) {
                struct serve_options o = {.config = &w.config,
                                          .user = w.user ? w.user : who_am_i(),
                                          .password = w.password,
                                          .one_user = is_for_one_user(&w)};
                status = serve(&o);
        } else {
                (void)fprintf(stderr, "frevo serve: %s\n", w.error);
        }
        if (w.password)
                secret_wipe(w.password, strlen(w.password));
        free(w.password);
        config_fini(&w.config);
        return status;
}

static bool keytab_is_good(const struct server_config *c, char error[CONFIG_ERROR_TEXT])
{
        AUTO(keytab_free)
        struct keytab *k = c->keytab ? keytab_open(c->keytab, c->kerberos_realms, error) : NULL;
        return k || !c->keytab;
}

int command_check(int argc, char **argv)
{
        struct server_config c;
        char error[CONFIG_ERROR_TEXT];
        if (argc != 2) {
                (void)fprintf(stderr, "frevo check FILE\n");
                return EXIT_USAGE;
        }
        config_init(&c);
        bool ok = config_read(&c, argv[1], error) && config_check(&c, error) &&
                  keytab_is_good(&c, error);
        if (ok)
                (void)printf("%s: %u share%s, nothing wrong\n", argv[1], c.nshares,
                             c.nshares == 1 ? "" : "s");
        else
                (void)fprintf(stderr, "frevo check: %s\n", error);
        config_fini(&c);
        return ok ? EXIT_DONE : EXIT_FAILED;
}
