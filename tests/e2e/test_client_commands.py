"""The client's commands, each against a server: what they print, leave behind and answer to mistakes."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import servers
import trees
from case import ServerCase

CLIENT = ("cat", "du", "find", "ls", "mkdir", "mv", "rm", "shares", "stat", "watch")


def frevo(*args, password=servers.PASSWORDS["alice"], env=None, **how):
    """Runs a command without a terminal; (exit status, stdout, stderr)."""
    e = {**os.environ, "KRB5CCNAME": "", "HOME": "/nonexistent", **(env or {})}
    e.pop("FREVO_PASSWORD", None)
    e.pop("XDG_CONFIG_HOME", None)
    if password is not None:
        e["FREVO_PASSWORD"] = password
    e.update(env or {})
    r = subprocess.run([servers.frevo_bin(), *args], env=e, timeout=60, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **how)
    return r.returncode, r.stdout.decode("utf-8", "surrogateescape"), r.stderr.decode("utf-8", "replace")


class Described(unittest.TestCase):
    """Help, manuals and completion know every command and every option."""

    def options_of(self, command):
        status, out, err = frevo(command, "--help")
        self.assertEqual((status, err), (0, ""))
        found = re.findall(r"(?m)^  (?:-.,|   ) --([a-z0-9-]+)", out)
        self.assertIn("help", found)
        return found

    def test_manuals(self):
        every = frevo("help", "--manual")[1].replace("\\-", "-")
        for c in CLIENT:
            self.assertIn("frevo-%s" % c, every.replace("\\fB", "").replace("\\fR", ""))
            page = frevo("help", "--manual", c)[1].replace("\\-", "-")
            for section in (".TH", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXIT STATUS"):
                self.assertIn(section, page)
            for o in self.options_of(c):
                self.assertIn("\\fB--%s\\fR" % o, page)

    def test_completion(self):
        bash, zsh = frevo("help", "--bash")[1], frevo("help", "--zsh")[1]
        listed = re.search(r"compgen -W '([a-z ]+)'", bash).group(1).split()
        self.assertLessEqual(set(CLIENT) | {"serve", "user", "check", "help"}, set(listed))
        for c in CLIENT:
            line = re.search(r"(?m)^\t%s\) options='(.*)'" % c, bash).group(1).split()
            self.assertEqual(sorted(line), sorted("--" + o for o in self.options_of(c)))
            for o in self.options_of(c):
                self.assertIn("'--%s[" % o, zsh)
        self.assertEqual(subprocess.run(["bash", "-n"], input=bash.encode(), check=False).returncode, 0)

    def test_called_wrongly(self):
        for c in CLIENT:
            self.assertEqual(frevo(c)[0], 2)
            status, _, err = frevo(c, "--no-such-option", "smb://h/s")
            self.assertEqual(status, 2)
            self.assertIn("--no-such-option", err)
        self.assertIn("which share", frevo("ls", "smb://127.0.0.1:1/")[2])
        status, _, err = frevo("ls", "nothing")
        self.assertEqual(status, 1)
        self.assertIn("smb://", err)


class Commands(ServerCase):
    def url(self, path="", share="data", user="alice"):
        return "smb://%s@%s:%d/%s/%s" % (user, self.server.host, self.server.port, share, path)

    def ok(self, *args, **how):
        status, out, err = frevo(*args, **how)
        if status:
            self.fail("%s: %d\n%s\n%s\nserver:\n%s" % (args, status, out[-2000:], err[-2000:], self.server.log_tail(15)))
        return out

    def bad(self, word, *args, **how):
        status, _, err = frevo(*args, **how)
        self.assertEqual(status, 1, err)
        self.assertIn(word, err)

    def make(self, *parts, data=b"x"):
        path = self.server.data(*parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        for d in (path, os.path.dirname(path)):
            os.chmod(d, 0o777)
        return path

    def there(self, *parts):
        return os.path.lexists(self.server.data(*parts))

    def test_ls(self):
        self.make("ls", "B")
        self.make("ls", "a", data=b"12345")
        self.make("ls", ".hidden")
        self.make("ls", "sub", "deep", "z")
        u, odd = self.url("ls"), []
        if servers.KIND != "smbd":  # smbd shows such names in their short form
            self.make("ls", "esc\x1b[31m\n")
            odd = ["esc\\x1b[31m\\n"]
        self.assertEqual(self.ok("ls", u).splitlines(), ["a", "B", *odd, "sub"])
        self.assertIn(".hidden", self.ok("ls", "-a", u))
        self.assertRegex(self.ok("ls", "-l", u), r"(?m)^-[-rhsa]{4}  5  \d{4}-\d\d-\d\d \d\d:\d\d  a$")
        out = self.ok("ls", "-R", u).splitlines()
        self.assertEqual([line for line in out if line.endswith(":")], [u + ":", u + "/sub:", u + "/sub/deep:"])
        rows = [json.loads(line) for line in self.ok("ls", "--json", "-R", u).splitlines()]
        self.assertEqual({(r["folder"], r["name"], r["type"]) for r in rows if r["name"] in ("a", "z", "sub")},
                         {("ls", "a", "file"), ("ls/sub/deep", "z", "file"), ("ls", "sub", "directory")})
        self.assertEqual(self.ok("ls", u + "/a").splitlines(), ["ls/a"])
        self.assertEqual(self.ok("ls", u + "/s*").splitlines(), ["sub"])
        self.bad("no such file", "ls", u + "/none")

    def test_cat(self):
        big = os.urandom(9_000_001)
        self.make("cat", "big", data=big)
        self.make("cat", "empty", data=b"")
        self.make("cat", "small", data=b"small")
        u = self.url("cat")
        out = self.ok("cat", u + "/small", u + "/empty", u + "/big")
        self.assertEqual(out.encode("utf-8", "surrogateescape"), b"small" + big)
        self.bad("folder", "cat", u)
        self.assertEqual(frevo("cat", u + "/none", u + "/small")[:2], (1, "small"))

    def test_mkdir_and_mv(self):
        u = self.url("mk")
        self.ok("mkdir", "-p", u + "/one/two")
        self.ok("mkdir", "-p", u + "/one/two")
        self.bad("exists", "mkdir", u + "/one")
        self.make("mk", "f", data=b"1")
        self.make("mk", "g", data=b"2")
        self.bad("exists", "mv", "-n", u + "/f", u + "/g")
        self.bad("into a folder", "mv", u + "/f", u + "/g", u + "/new")
        self.ok("mv", u + "/f", u + "/g")
        self.assertFalse(self.there("mk", "f"))
        with open(self.server.data("mk", "g"), "rb") as f:
            self.assertEqual(f.read(), b"1")
        self.make("mk", "h")
        self.ok("mv", u + "/g", u + "/h", u + "/one")
        self.assertTrue(self.there("mk", "one", "g") and self.there("mk", "one", "h"))
        self.ok("mv", u + "/one", u + "/eins")
        self.assertTrue(self.there("mk", "eins", "two"))
        self.bad("no such file", "mv", u + "/none", u + "/x")

    def test_stat(self):
        path = self.make("stat", "f", data=b"x" * 1234)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        out = json.loads(self.ok("stat", "--json", self.url("stat/f")))
        self.assertEqual((out["size"], out["type"], out["modified"]), (1234, "file", "2001-09-09T01:46:40Z"))
        self.assertIn("1234", self.ok("stat", self.url("stat/f")))
        self.assertGreater(json.loads(self.ok("stat", "-f", "--json", self.url()))["total"], 0)
        self.bad("no such file", "stat", self.url("stat/none"))

    def test_find_and_du(self):
        trees.make_tree(self.server.data("tree"), files=40, dirs=6, total=400_000, odd_names=False)
        want = trees.digest(self.server.data("tree"))
        u = self.url("tree")
        found = {line[len(u) + 1:] for line in self.ok("find", u).splitlines()}
        self.assertEqual(found, set(want))
        files = self.ok("find", "-0", "--type", "f", "--iname", "OFFER*", u).rstrip("\0").split("\0")
        self.assertEqual({f[len(u) + 1:] for f in files if f},
                         {p for p in want if os.path.basename(p).startswith("Offer") and want[p] != "/"})
        self.assertEqual(self.ok("find", "--newer", "2100-01-01", u), "")
        self.assertEqual({line[len(u) + 1:] for line in self.ok("find", "--max-depth", "1", u).splitlines()},
                         {p for p in want if "/" not in p})
        size = sum(os.path.getsize(self.server.data("tree", p)) for p in want if want[p] != "/")
        row = json.loads(self.ok("du", "-s", "--apparent-size", "--json", u))
        self.assertEqual((row["bytes"] if servers.KIND != "smbd" else size, row["files"]),
                         (size, sum(h != "/" for h in want.values())))
        self.assertEqual(len(self.ok("du", u).splitlines()), 1 + sum(h == "/" for h in want.values()))

    def test_rm(self):
        trees.make_tree(self.server.data("rm", "tree"), files=300, dirs=20, total=30_000, odd_names=True)
        subprocess.run(["chmod", "-R", "a+rwX", self.server.data("rm")], check=True)
        u = self.url("rm")
        self.bad("-r removes", "rm", u + "/tree")
        self.assertTrue(self.there("rm", "tree", "plain"))
        self.ok("rm", u + "/tree/plain")
        self.assertFalse(self.there("rm", "tree", "plain"))
        self.bad("no such file", "rm", u + "/tree/plain")
        self.ok("rm", "-f", u + "/tree/plain")
        self.ok("rm", "-r", u + "/tree")
        self.assertFalse(self.there("rm", "tree"))

    def test_rm_refuses_the_share(self):
        """C12: an empty name is no name for everything."""
        self.make("keep", "me")
        for path in ("", "/", "//", ".", "./", "keep/..", "..", "%2e", "%2F", "keep/../"):
            status, _, err = frevo("rm", "-rf", self.url(path))
            self.assertEqual(status, 1, path)
            self.assertIn("refused", err)
        self.assertTrue(self.there("keep", "me"))

    @unittest.skipIf(servers.KIND == "smbd", "smbd shows a link to a folder as that folder, however it is looked at")
    def test_rm_does_not_follow_links(self):
        self.make("outside", "stays")
        self.make("linked", "f")
        os.symlink("../outside", self.server.data("linked", "link"))
        frevo("rm", "-r", self.url("linked"))  # whether the link itself can go is the server's to say
        self.assertTrue(self.there("outside", "stays"))

    def test_passwords(self):
        self.make("pw", "f")
        u = self.url("pw")
        self.bad("wrong user name or password", "ls", u, password="nonsense")
        self.bad("a password is needed", "ls", u, password=None)
        with open(self.local("pw"), "w", encoding="utf-8") as f:
            f.write(servers.PASSWORDS["alice"] + "\n")
        os.chmod(self.local("pw"), 0o644)
        self.bad("chmod 600", "ls", "--password-file", self.local("pw"), u, password=None)
        os.chmod(self.local("pw"), 0o600)
        self.assertEqual(self.ok("ls", "--password-file", self.local("pw"), u, password=None), "f\n")
        status, out, err = frevo("ls", u.replace("alice@", "alice:%s@" % servers.PASSWORDS["alice"]), password=None)
        self.assertEqual((status, out), (0, "f\n"))
        self.assertIn("can be seen", err)
        self.assertNotIn(servers.PASSWORDS["alice"], err)
        os.makedirs(self.local("c", "frevo"))
        with open(self.local("c", "frevo", "credentials"), "w", encoding="utf-8") as f:
            f.write("# kept\n%s alice %s\n" % (self.server.host, servers.PASSWORDS["alice"]))
        os.chmod(self.local("c", "frevo", "credentials"), 0o600)
        self.assertEqual(self.ok("ls", u.replace("alice@", ""), password=None, env={"XDG_CONFIG_HOME": self.local("c")}), "f\n")

    def test_protection_and_stats(self):
        self.make("p", "f", data=b"x")
        err = frevo("cat", "-v", "--stats", "--encrypt", "--dialect", "3.0.2", self.url("p/f"))[2]
        self.assertIn("SMB 3.0.2, encrypted", err)
        self.assertRegex(err, r"\d+ round trips, \d+ requests")

    def test_shares(self):
        u = "smb://alice@%s:%d" % (self.server.host, self.server.port)
        self.assertIn("data", self.ok("shares", u).split())
        names = {json.loads(line)["name"] for line in self.ok("shares", "--json", "-a", u).splitlines()}
        self.assertLessEqual({"data", "readonly", "encrypted", "IPC$"}, names)

    def test_watch(self):
        self.make("watch", "f")
        env = {**os.environ, "FREVO_PASSWORD": servers.PASSWORDS["alice"]}
        with subprocess.Popen([servers.frevo_bin(), "watch", "-v", self.url("watch")], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as p:
            while "watching" not in p.stderr.readline():
                self.assertIsNone(p.poll())
            seen, end = [], time.monotonic() + 20
            while not seen and time.monotonic() < end:  # the watch may stand a moment after it was said
                self.ok("mkdir", self.url("watch/n"))
                self.ok("mv", self.url("watch/n"), self.url("watch/m"))
                self.ok("rm", "-d", self.url("watch/m"))
                seen = [p.stdout.readline().split() for _ in range(4)]
            p.send_signal(signal.SIGTERM)
            self.assertIn(["removed", "m"], seen + [line.split() for line in p.stdout])
            self.assertIn(["added", "n"], seen)
            self.assertEqual(p.wait(20), 1)


if __name__ == "__main__":
    unittest.main()
