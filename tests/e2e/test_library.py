"""The installed library, as another program's author meets it: one pkg-config line, the examples, the symbols."""
import os
import re
import shlex
import subprocess
import unittest

import servers
from case import ServerCase
from clients import smbclient

EXAMPLES = os.path.join(servers.ROOT, "examples")


def run(*args, env=None):
    r = subprocess.run(args, text=True, check=False, timeout=120, env={**os.environ, **(env or {})},
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.returncode, r.stdout


class Installed(ServerCase):
    def setUp(self):
        super().setUp()
        self.build = os.path.dirname(os.path.dirname(os.path.dirname(servers.frevo_bin())))
        if not os.path.isfile(os.path.join(self.build, "build.ninja")):
            self.skipTest("FREVO_BIN is not in a build directory")
        status, out = run("meson", "install", "-C", self.build, "--no-rebuild", "--destdir", self.local("root"))
        self.assertEqual(status, 0, out)
        found = [d for d, _, files in os.walk(self.local("root")) if "libfrevo.pc" in files]
        self.assertEqual(len(found), 1)
        self.env = {"PKG_CONFIG_PATH": found[0], "PKG_CONFIG_SYSROOT_DIR": self.local("root"),
                    "LD_LIBRARY_PATH": os.path.dirname(found[0]), "FREVO_PASSWORD": "secret",
                    "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def compile(self, name):
        status, flags = run("pkg-config", "--cflags", "--libs", "libfrevo", env=self.env)
        self.assertEqual(status, 0, flags)
        library = os.path.join(self.env["LD_LIBRARY_PATH"], "libfrevo.so")
        if "__asan_init" in run("nm", "-D", library)[1]:  # a library that is being tested takes its programs along
            flags += " -fsanitize=address,undefined"
        status, out = run("cc", "-Wall", "-Wextra", "-Werror", os.path.join(EXAMPLES, name + ".c"), "-o", self.local(name),
                          *shlex.split(flags), env=self.env)
        self.assertEqual(status, 0, out)
        return self.local(name)

    def url(self, *parts):
        return "smb://alice@127.0.0.1:%d/%s" % (self.server.port, "/".join(("data",) + parts))

    def test_examples_compile_with_one_line_and_work(self):
        with open(self.local("f"), "wb") as f:
            f.write(b"x" * 1234)
        self.succeeded(smbclient(self.server, "data", "mkdir lib; cd lib; put f one.txt; put f two.txt", cwd=self.tmp))
        status, out = run(self.compile("list"), self.url("lib"), env=self.env)
        self.assertEqual(status, 0, out)
        self.assertEqual(sorted(out.split()), ["1234", "1234", "one.txt", "two.txt"])
        status, out = run(self.compile("many"), self.url(), "lib/one.txt", "lib/two.txt", env=self.env)
        self.assertEqual((status, sorted(out.splitlines())), (0, ["lib/one.txt: 1234 bytes", "lib/two.txt: 1234 bytes"]))
        status, out = run(self.local("many"), self.url(), "lib/none.txt", env=self.env)
        self.assertEqual(status, 1)
        self.assertRegex(out, "no such file")

    def test_only_the_header_s_names_are_to_be_seen(self):
        with open(os.path.join(servers.ROOT, "include/frevo/frevo.h"), encoding="utf-8") as f:
            declared = set(re.findall(r"FREVO_API [^;(]*?\b(frevo_\w+)\s*\(", f.read()))
        library = os.path.join(self.env["LD_LIBRARY_PATH"], "libfrevo.so")
        status, out = run("nm", "-D", "--defined-only", library)
        self.assertEqual(status, 0, out)
        exported = {line.split()[-1].split("@")[0] for line in out.splitlines() if " T " in line}
        self.assertEqual(exported, declared)
        self.assertIn("FREVO_0", out)


if __name__ == "__main__":
    unittest.main()
