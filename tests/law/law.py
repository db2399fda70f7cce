#!/usr/bin/env python3
"""The law of the tree: which folder may use which, and what no file may hold.

    law.py [ROOT]        checks ROOT/src (default: this repository); one line a breach, exit 1 if any
    law.py --sizes       also lists the longest files and functions

The rules are ARCHITECTURE.md's. A line may ask for an exception of the line rules with
`law-ok: reason` in a comment; the include rules have none.
"""
import os
import re
import sys

ANY = ("",)
# folder (longest match wins): what its files may include, as path prefixes from src/.
MAY_USE = {
    "base": ("base/",),
    "wire": ("base/", "wire/"),
    "crypto": ("base/", "crypto/"),
    "auth": ("base/", "wire/ntlm/", "wire/spnego/", "crypto/", "auth/"),
    "store": ("base/", "store/store.h"),
    "net": ("base/", "net/"),
    # Security descriptors and SIDs are a format of disks as much as of wires.
    "fs": ("base/", "store/store.h", "wire/security/", "fs/"),
    "rpc": ("base/", "wire/rpc/", "wire/security/", "fs/", "rpc/"),
    "front": ("base/", "wire/", "auth/", "crypto/", "net/", "fs/", "rpc/"),
    "discover": ("base/", "wire/", "net/", "discover/"),
    "client": ("base/", "wire/", "crypto/", "auth/", "net/", "client/", "frevo/"),
    "server": ANY,
    "cli": ANY,
    "mount": ANY,
    "bench": ANY,
}
# Siblings that must not know each other: each may use its own sub-folder only.
APART = ("store", "front")
# The stores that wrap another share one frame.
ALSO_MAY_USE = {"store/fault": ("store/around/",), "store/trace": ("store/around/",)}
# What tests may use on top: the stores that ship for them, and a real session to talk through.
TESTS_MAY_USE = {
    "fs": ("store/mem/", "store/fault/", "store/trace/", "store/posix/"),
    "rpc": ("store/mem/",),
    "front": ("store/mem/", "store/fault/", "store/trace/", "store/store.h", "client/"),
    "store": ("store/mem/", "store/posix/"),
    # The real server is what a client is tested against; a lying one is made of its parts.
    "client": ("front/smb2/testserver.h", "front/smb2/local.h", "front/smb2/protect.h", "store/mem/", "fs/"),
}
# The topmost folders: nothing below may use them, and only they may end the process.
TOP = ("server", "cli", "mount", "bench")

BANNED = re.compile(
    r"\b(strcpy|strcat|strncpy|strncat|stpcpy|sprintf|vsprintf|strtok|gets|atoi|atol|atoll|alloca"
    r"|gmtime|localtime|ctime|asctime|tmpnam|mktemp|rand|srand|system|popen|memcmp_secret)\s*\(")
ENDS_PROCESS = re.compile(r"(?<![\w.>])(exit|_exit|quick_exit)\s*\(")
SLEEPS = re.compile(r"\b(sleep|usleep|nanosleep)\s*\(")
CAST = re.compile(r"\(\s*(?:const\s+|volatile\s+)*struct\s+(\w+)\s*(?:const\s*)?\*+\s*\)\s*[\w&(*]")
# The socket calls ask for the first; the others are handles that store.h leaves to each store.
CAST_FINE = re.compile(r"^sockaddr|^store_(file|dir)$")
# A cast of what is being read: `_Atomic(struct x *)` is a type, and an accessor's void * is no buffer.
CAST_OF_CALL = re.compile(r"_Atomic\s*\(\s*struct|\(\s*(?:const\s+)?struct\s+\w+\s*\*\s*\)\s*\w+_ctx\s*\(")
PACKED = re.compile(r"__attribute__\s*\(\(\s*(?:__)?packed|#\s*pragma\s+pack|\b__packed\b")
COMPARE = re.compile(r"\b(memcmp|bytes_eq|strcmp|timingsafe_bcmp)\s*\(([^;]*)")
SECRET = re.compile(
    r"\bsig(?:nature)?\b|signature|\bmac\b|_mac\b|\bmic\b|_mic\b|hash|proof|digest|secret|passw|_key\b|\bkey\b|\btag\b|verifier",
    re.I)
SECRET_FOLDERS = ("crypto", "auth", "front")
# fs and the stores speak neutral words: no protocol, no socket.
FOREIGN = re.compile(
    r"\b(NTSTATUS|ntstatus|STATUS_[A-Z][A-Z_]+|NT_STATUS\w*|SMB[123]?_\w+|smb[123]?_\w+|NFS[34]?_\w+|nfs[34]_\w+"
    r"|sockaddr\w*|wire_\w+|cur_window_wire)\b|\b(socket|recv|recvmsg|sendmsg|accept4?|listen|bind)\s*\(")
NEUTRAL_FOLDERS = ("fs", "store")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
BAD_NAME = re.compile(r"^(util|utils|common|misc|helper|helpers|stuff)\.[ch]$")
TODO = re.compile(r"\b(TODO|FIXME|HACK)\b(?!\()")
MAX_LINES = 800


def strip_comments(text):
    """The code alone, same line numbers; strings become "" so that words in messages do not count."""
    def blank(m):
        s = m.group(0)
        if s.startswith("/"):
            return re.sub(r"[^\n]", " ", s)
        return s[0] + s[0]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def is_test(path):
    return re.search(r"(_test|_fuzz|_testing|_fake|_seeds|/test(client|server|requests))\.[ch]$|/testing\.h$|/fuzz_main\.c$",
                     path) is not None


def allowed(rel):
    """Prefixes that the file src/rel may include."""
    top = rel.split("/")[0]
    may = MAY_USE.get(top)
    if may is None:
        return None
    if may == ANY:
        return ANY
    if top in APART and rel.count("/") >= 2:
        may = may + ("/".join(rel.split("/")[:2]) + "/",)
    elif top in APART:
        may = may + (top + "/",)
    may = may + ALSO_MAY_USE.get("/".join(rel.split("/")[:2]), ())
    if is_test(rel):
        may = may + TESTS_MAY_USE.get(top, ())
    return may


def check_includes(root, rel, text, say):
    may = allowed(rel)
    if may is None:
        say(rel, 0, "folder unknown to the law: name it in tests/law/law.py and ARCHITECTURE.md")
        return
    for n, line in enumerate(text.splitlines(), 1):
        m = INCLUDE.match(line)
        if not m:
            continue
        inc = m.group(1)
        if "/" not in inc or ".." in inc:
            say(rel, n, 'include "%s" is not written from src/' % inc)
            continue
        if not os.path.exists(os.path.join(root, "src", inc)) and not inc.startswith("frevo/"):
            say(rel, n, 'include "%s" does not exist' % inc)
        if may == ANY:
            below = rel.split("/")[0], inc.split("/")[0]
            if below[0] != "cli" and below[1] in TOP and below[0] != below[1]:
                say(rel, n, '%s may not use %s' % below)
        elif not inc.startswith(may) and not inc.startswith("frevo/"):
            say(rel, n, '%s may not use "%s"' % ("/".join(rel.split("/")[:-1]), inc))


def check_lines(rel, text, say):
    top, test = rel.split("/")[0], is_test(rel)
    raw = text.splitlines()
    for n, line in enumerate(strip_comments(text).splitlines(), 1):
        if n <= len(raw) and ("law-ok:" in raw[n - 1] or "NOLINT" in raw[n - 1]):
            continue
        if line.lstrip().startswith("#"):
            if PACKED.search(line):
                say(rel, n, "packed structs are no way to read bytes: use base/cursor.h")
            continue
        m = BANNED.search(line)
        if m:
            say(rel, n, "%s() is banned" % m.group(1))
        if PACKED.search(line):
            say(rel, n, "packed structs are no way to read bytes: use base/cursor.h")
        m = CAST.search(line)
        if m and not CAST_FINE.match(m.group(1)) and not CAST_OF_CALL.search(line) and not test:
            say(rel, n, "cast to struct %s *: decode with base/cursor.h, or use container_of" % m.group(1))
        if top not in TOP and not test and ENDS_PROCESS.search(line):
            say(rel, n, "only server, cli and bench end the process")
        if top != "bench" and not rel.startswith("store/fault/") and SLEEPS.search(line):
            say(rel, n, "sleeping is waiting for luck: wait for the event")
        if top in SECRET_FOLDERS and not test:
            m = COMPARE.search(line)
            # a resume key names an open file; it opens nothing
            if m and SECRET.search(m.group(2)) and "resume_key" not in m.group(2):
                say(rel, n, "%s() of a secret: ct_equal()" % m.group(1))
        if top in NEUTRAL_FOLDERS and not test:
            m = FOREIGN.search(line)
            if m:
                say(rel, n, "%s speaks no protocol: '%s'" % (top, m.group(0).strip("( ")))
    for n, line in enumerate(raw, 1):
        m = TODO.search(line)
        if m:
            say(rel, n, "%s without (why, when removable)" % m.group(1))


def check_file(root, rel, say):
    with open(os.path.join(root, "src", rel), encoding="utf-8") as f:
        text = f.read()
    if BAD_NAME.match(os.path.basename(rel)):
        say(rel, 0, "a file is named by its subject")
    lines = text.count("\n")
    if lines > MAX_LINES and not is_test(rel):
        say(rel, 0, "%d lines: look for the second subject" % lines)
    check_includes(root, rel, text, say)
    check_lines(rel, text, say)


def check_codecs_tested(files, say):
    """A folder of codecs without golden bytes or without a fuzz target does not ship."""
    folders = {}
    for rel in files:
        if rel.startswith("wire/") and rel.endswith(".c"):
            folders.setdefault(os.path.dirname(rel), []).append(rel)
    for d, rels in sorted(folders.items()):
        for kind in ("_test.c", "_fuzz.c"):
            if not any(r.endswith(kind) for r in rels):
                say(d, 0, "codecs without any *%s" % kind)


def sources(root):
    out = []
    for d, dirs, names in os.walk(os.path.join(root, "src")):
        dirs.sort()
        out += [os.path.relpath(os.path.join(d, n), os.path.join(root, "src")) for n in sorted(names)
                if n.endswith((".c", ".h"))]
    return out


FUNCTION = re.compile(r"^(?:[A-Za-z_][\w \t*,()\[\]]*?)\b(\w+)\([^;{}]*\)\s*\n\{\n(.*?)^\}", re.S | re.M)


def report_sizes(root, files):
    lens, funcs = [], []
    for rel in files:
        with open(os.path.join(root, "src", rel), encoding="utf-8") as f:
            text = f.read()
        lens.append((text.count("\n"), rel))
        funcs += [(m.group(2).count("\n"), "%s in %s" % (m.group(1), rel))
                  for m in FUNCTION.finditer(text) if not is_test(rel)]
    for what, rows, limit in (("files", lens, 500), ("functions", funcs, 60)):
        long = sorted(r for r in rows if r[0] > limit)[::-1]
        print("%d %s, %d of over %d lines" % (len(rows), what, len(long), limit))
        for n, name in long[:15]:
            print("  %5d  %s" % (n, name))


def check(root):
    """All breaches of the tree under root, as printable lines."""
    found = []

    def say(rel, n, what):
        found.append("src/%s:%s %s" % (rel, "%d:" % n if n else "", what))
    files = sources(root)
    for rel in files:
        check_file(root, rel, say)
    check_codecs_tested(files, say)
    return found, files


def main(argv):
    args = [a for a in argv if not a.startswith("--")]
    root = args[0] if args else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found, files = check(root)
    for line in found:
        print(line)
    if "--sizes" in argv:
        report_sizes(root, files)
    print("law: %d files, %d breaches" % (len(files), len(found)))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
