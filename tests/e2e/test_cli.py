"""The command line: what it prints and what it leaves behind."""
import os
import re
import signal
import stat
import subprocess
import time
import unittest

import servers
from case import ServerCase
from clients import smbclient


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
class CommandLine(unittest.TestCase):
    def frevo(self, *args, feed=""):
        return subprocess.run([servers.frevo_bin(), *args], input=feed, text=True, check=False, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_version_and_help(self):
        self.assertRegex(self.frevo("--version").stdout, r"frevo \d+\.\d+")
        out = self.frevo("help").stdout
        for word in ("serve", "user", "help"):
            self.assertIn(word, out)
        self.assertRegex(self.frevo("help", "serve").stdout, r"(?m)^  port  .*4450$")

    def test_mistakes_are_named_and_fail(self):
        for args in (("nonsense",), ("serve", "--nonsense"), ("serve", "/no/such/folder", "--port", str(servers.free_port())),
                     ("serve", "--port", "99999", "/tmp"), ("serve", "--config", "/no/such/file"), ("user", "nonsense")):
            r = self.frevo(*args)
            self.assertNotEqual(r.returncode, 0, args)
            self.assertTrue(r.stderr.strip(), args)


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
class UserFile(ServerCase):
    def test_life_of_a_user(self):
        s = self.server
        self.assertEqual(s.user("add", "carol", "--unix", "games", password="first").returncode, 0)
        self.assertNotEqual(s.user("add", "carol", password="again", check=False).returncode, 0, "there is one already")
        self.assertIn("carol", s.user("list", None).stdout)
        users = s.path("users")
        self.assertEqual(stat.S_IMODE(os.stat(users).st_mode), 0o600)
        with open(users, encoding="utf-8") as f:
            text = f.read()
        self.assertNotIn("first", text)
        self.assertNotRegex(s.user("list", None).stdout, "[0-9a-fA-F]{32}")
        self.signs_in("first")
        s.user("passwd", "carol", password="second")
        self.signs_in("second")
        s.user("remove", "carol")
        end = time.monotonic() + 5
        while smbclient(s, "data", "ls", user="carol", password="second")[0] == 0:
            self.assertLess(time.monotonic(), end, "removed, and still let in")
        self.assertNotEqual(s.user("remove", "carol", check=False).returncode, 0)

    def signs_in(self, password):
        """The running server sees a changed file within a second or two."""
        end = time.monotonic() + 5
        while True:
            status, out = smbclient(self.server, "data", "ls", user="carol", password=password)
            if status == 0:
                return
            self.assertLess(time.monotonic(), end, out)


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
class OneCommand(ServerCase):
    """frevo serve DIR: no configuration, no password given."""

    @classmethod
    def make_server(cls):
        return Plain()

    def test_what_it_prints_lets_a_stranger_in(self):
        with open(self.server.log, encoding="utf-8") as f:
            text = f.read().rpartition("Frevo serves")[2]  # the last start: each makes up a password
        user = re.search(r"(?im)^\W*user\W+(\S+)", text)
        password = re.search(r"(?im)^\W*password\W+(\S+)", text)
        self.assertTrue(user and password, text)
        self.assertIn(str(self.server.port), text)
        with open(self.local("a"), "wb") as f:
            f.write(b"hello")
        self.succeeded(smbclient(self.server, "data", "put a; ls", cwd=self.tmp, user=user.group(1), password=password.group(1)))
        with open(self.server.data("a"), "rb") as f:
            self.assertEqual(f.read(), b"hello")
        self.refused(smbclient(self.server, "data", "ls", user=user.group(1), password="x"), "NT_STATUS_LOGON_FAILURE")

    def test_interrupt_is_a_clean_stop(self):
        self.server.proc.send_signal(signal.SIGINT)
        self.assertEqual(self.server.proc.wait(10), 0)
        self.server.start()


class Plain(servers.Server):
    privileged = False

    def command(self):
        return [servers.frevo_bin(), "serve", self.data(), "--port", str(self.port), "--state", self.path("state")]

    def environment(self):
        return {k: v for k, v in os.environ.items() if k != "FREVO_PASSWORD"}


if __name__ == "__main__":
    unittest.main()
