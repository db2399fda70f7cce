/* Lines of the credentials file. Pure: password.c reads the file and looks who may read it. */
#include "cli/credentials.h"

#include <string.h>
#include <strings.h>

/* The next word of *line, ended in place; NULL at its end. */
static char *next_word(char **line)
{
        char *word = *line + strspn(*line, " \t");
        size_t n = strcspn(word, " \t");
        if (!n)
                return NULL;
        *line = word + n;
        if (**line)
                *(*line)++ = 0;
        return word;
}

static bool host_fits(const char *entry, const char *host)
{
        return strcmp(entry, "*") == 0 || strcasecmp(entry, host) == 0;
}

static bool user_fits(const char *entry, const char *user)
{
        return !user || strcmp(entry, "*") == 0 || strcasecmp(entry, user) == 0;
}

bool credentials_find(char *text, const char *host, const char *user, const char **ret_user,
                      const char **ret_password)
{
        for (char *line = text, *next; line; line = next) {
                next = strchr(line, '\n');
                if (next)
                        *next++ = 0;
                line[strcspn(line, "\r")] = 0;
                line += strspn(line, " \t");
                if (*line == '#')
                        continue;
                char *h = next_word(&line), *u = h ? next_word(&line) : NULL;
                if (!u || !host_fits(h, host) || !user_fits(u, user))
                        continue;
                *ret_user = strcmp(u, "*") == 0 ? user : u;
                *ret_password = line + strspn(line, " \t");
                return true;
        }
        return false;
}
