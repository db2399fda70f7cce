#!/usr/bin/python3
"""All end-to-end tests, or those whose name holds one of the words given.

    run.py [--summary FILE] [WORD...]

FREVO_BIN, FREVO_E2E_SERVER=smbd, FREVO_E2E=full: see servers.py and README.md. The last line is "N passed, N failed,
N skipped"; FILE gets passed, failed and the names of the failed, one a line.
"""
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Progress(unittest.TextTestResult):
    """One line a test, with its time."""

    def startTest(self, test):
        self.started = time.monotonic()
        super(unittest.TextTestResult, self).startTest(test)

    def line(self, word, test):
        self.stream.writeln("%-5s %6.2f s  %s" % (word, time.monotonic() - getattr(self, "started", time.monotonic()), test.id()))
        self.stream.flush()

    def addSuccess(self, test):
        unittest.TestResult.addSuccess(self, test)
        self.passed = getattr(self, "passed", 0) + 1
        self.line("ok", test)

    def addFailure(self, test, err):
        unittest.TestResult.addFailure(self, test, err)
        self.line("FAIL", test)

    def addError(self, test, err):
        unittest.TestResult.addError(self, test, err)
        self.line("ERROR", test)

    def addSkip(self, test, reason):
        unittest.TestResult.addSkip(self, test, reason)
        self.line("skip", test)


def flatten(suite):
    for t in suite:
        if isinstance(t, unittest.TestSuite):
            yield from flatten(t)
        else:
            yield t


def main(argv):
    summary = None
    if argv[:1] == ["--summary"]:
        summary, argv = argv[1], argv[2:]
    sys.path.insert(0, HERE)
    tests = unittest.defaultTestLoader.discover(HERE, "test_*.py")
    if argv:
        tests = unittest.TestSuite(t for t in flatten(tests) if any(w in t.id() for w in argv))
    r = unittest.TextTestRunner(resultclass=Progress, stream=sys.stdout, verbosity=0).run(tests)
    bad = [t.id() if hasattr(t, "id") else str(t) for t, _ in r.failures + r.errors]
    passed = getattr(r, "passed", 0)
    if summary:
        with open(summary, "w", encoding="utf-8") as f:
            f.write("\n".join([str(passed), str(len(bad)), *bad]) + "\n")
    print("%d passed, %d failed, %d skipped" % (passed, len(bad), len(r.skipped)))
    return 0 if not bad and passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
