#!/usr/bin/env python3
"""Counts test cases in meson's testlog.json: prints passed, failed and the failed programs' names, one a line.

A cmocka program counts as many as it says that it ran; any other program counts one.
"""
import json
import re
import sys

RAN = re.compile(r"^\[==========\] .*?: (\d+) test\(s\) run\.|^\[==========\] (\d+) test\(s\) run\.", re.M)
FAILED = re.compile(r"^\[  FAILED  \] .*?(\d+) test\(s\), listed below", re.M)


def main():
    passed = failed = 0
    names = []
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in f:
            t = json.loads(line)
            out = t.get("stdout", "") + t.get("stderr", "")
            ran = sum(int(a or b) for a, b in RAN.findall(out)) or 1
            bad = sum(int(n) for n in FAILED.findall(out))
            if t["result"] in ("OK", "EXPECTEDFAIL"):
                passed += ran
            elif t["result"] != "SKIP":
                bad = bad or 1
                failed += bad
                passed += max(0, ran - bad)
                names.append(t["name"])
    print(passed, failed, *names, sep="\n")


if __name__ == "__main__":
    main()
