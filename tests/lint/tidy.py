#!/usr/bin/env python3
"""Runs clang-tidy over every file that a build directory compiles.

    tidy.py BUILD_DIR SEEN_DIR JOBS

What was found clean is remembered in SEEN_DIR by content (the file, every project header it includes, and the
checks), so that only what changed is looked at again.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def closure(path, seen):
    """path and all project headers it reaches."""
    if path in seen or not os.path.exists(path):
        return
    seen.add(path)
    for inc in INCLUDE.findall(read(path).decode("utf-8", "replace")):
        closure(os.path.join(ROOT, "src", inc), seen)
        closure(os.path.join(ROOT, "include", inc), seen)


def content_key(path):
    files = set()
    closure(path, files)
    closure(os.path.join(ROOT, "src/base/banned.h"), files)
    h = hashlib.sha256(read(os.path.join(ROOT, ".clang-tidy")))
    for f in sorted(files):
        h.update(f.encode() + b"\0" + read(f))
    return h.hexdigest()[:40]


def tidy(build, path, mark):
    r = subprocess.run(["clang-tidy", "-p", build, "--quiet", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                       text=True, check=False)
    if r.returncode == 0 and "warning:" not in r.stdout and "error:" not in r.stdout:
        open(mark, "w", encoding="ascii").close()
        return ""
    return r.stdout or "%s: clang-tidy ended with status %d\n" % (path, r.returncode)


def main():
    build, seen, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(seen, exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        paths = sorted({os.path.realpath(os.path.join(c["directory"], c["file"])) for c in json.load(f)})
    todo = [(p, os.path.join(seen, content_key(p))) for p in paths if p.endswith(".c")]
    todo = [(p, m) for p, m in todo if not os.path.exists(m)]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for out in pool.map(lambda t: tidy(build, *t), todo):
            if out:
                bad += 1
                print(out)
    print("clang-tidy: %d files, %d of them looked at now, %d with complaints" % (len(paths), len(todo), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
