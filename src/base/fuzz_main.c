/* Runs a fuzz target over the files (or folders of files) given: how kept inputs are replayed in
 * ordinary builds, where there is no libFuzzer. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replay_file(const char *path)
{
        FILE *f = fopen(path, "rb");
        if (!f)
                return perror(path), 1;
        uint8_t *buf = malloc(1 << 20);
        size_t n = buf ? fread(buf, 1, 1 << 20, f) : 0;
        (void)fclose(f); /* only read from */
        (void)LLVMFuzzerTestOneInput(buf, n);
        free(buf);
        return 0;
}

static int replay(const char *path)
{
        struct stat st;
        if (stat(path, &st) != 0)
                return 0; /* no corpus yet */
        if (!S_ISDIR(st.st_mode))
                return replay_file(path);
        DIR *d = opendir(path);
        if (!d)
                return perror(path), 1;
        int bad = 0;
        for (struct dirent *e; (e = readdir(d));) {
                char sub[PATH_MAX];
                if (e->d_name[0] == '.')
                        continue;
                (void)snprintf(sub, sizeof sub, "%s/%s", path, e->d_name);
                bad |= replay(sub);
        }
        (void)closedir(d); /* only read from */
        return bad;
}

int main(int argc, char **argv)
{
        int bad = 0;
        (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
        for (int i = 1; i < argc; i++)
                bad |= replay(argv[i]);
        return bad;
}
