"""smbclient: each dialect plain, signed and encrypted; everything an ordinary user types."""
import os
import random
import subprocess
import unittest

import clients
import servers
import trees
from case import ServerCase
from clients import smbclient

FULL = os.environ.get("FREVO_E2E") == "full"


def for_each_combination(cls):
    """Turns check_x(self, dialect, protection) into one test a combination."""
    for name in [n for n in dir(cls) if n.startswith("check_")]:
        for dialect, protection in clients.combinations():
            def run(self, name=name, dialect=dialect, protection=protection):
                getattr(self, name)(dialect, protection)
            setattr(cls, "test_%s_%s_%s" % (name[6:], dialect, protection), run)
    return cls


class Copies:
    """Mixed into a class for each kind of server."""

    def check_tree(self, dialect, protection):
        """A tree up and down again is the same tree, seen from both sides."""
        trees.make_tree(self.local("out"))
        os.mkdir(self.local("back"))
        place = "tree-%s-%s" % (dialect, protection)
        how = {"dialect": dialect, "protection": protection}
        self.succeeded(smbclient(self.server, "data", "mkdir %s; cd %s; prompt; recurse; mput *" % (place, place),
                                 cwd=self.local("out"), **how))
        want = trees.digest(self.local("out"))
        self.assertEqual(trees.digest(self.server.data(place)), want)
        self.succeeded(smbclient(self.server, "data", "cd %s; prompt; recurse; mget *" % place, cwd=self.local("back"), **how))
        self.assertEqual(trees.digest(self.local("back")), want)
        self.succeeded(smbclient(self.server, "data", "deltree %s" % place, **how))
        self.assertFalse(os.path.exists(self.server.data(place)))

    def check_everyday(self, dialect, protection):
        """put, ls, rename, allinfo, get, append of nothing, delete, rmdir."""
        body = random.Random(3).randbytes(70_001)
        with open(self.local("a"), "wb") as f:
            f.write(body)
        d = "day-%s-%s" % (dialect, protection)
        out = self.succeeded(smbclient(
            self.server, "data",
            "mkdir {0}; cd {0}; put a first.txt; ls; rename first.txt second.txt; allinfo second.txt; get second.txt b; "
            "put a third.txt; del second.txt; ls; del third.txt; cd ..; rmdir {0}".format(d),
            cwd=self.tmp, dialect=dialect, protection=protection))
        self.assertIn("first.txt", out)
        self.assertIn("70001", out)
        with open(self.local("b"), "rb") as f:
            self.assertEqual(f.read(), body)
        self.assertFalse(os.path.exists(self.server.data(d)))

    def check_full_size(self, dialect, protection):
        if not FULL:
            self.skipTest("FREVO_E2E=full")
        big, tree = full_data()
        d = "full-%s-%s" % (dialect, protection)
        os.mkdir(self.local("back"))
        how = {"dialect": dialect, "protection": protection, "timeout": 1800}
        self.succeeded(smbclient(self.server, "data", "mkdir %s; cd %s; put %s big; prompt; recurse; mput *" % (d, d, big), cwd=tree, **how))
        self.succeeded(smbclient(self.server, "data", "cd %s; prompt; recurse; mget *" % d, cwd=self.local("back"), **how))
        self.assertEqual(trees.digest_file(self.local("back", "big")), trees.digest_file(big))
        os.unlink(self.local("back", "big"))
        self.assertEqual(trees.digest(self.local("back")), trees.digest(tree))
        subprocess.run(["rm", "-rf", self.server.data(d)], check=True)


def full_data(made=[]):  # once a run: the 329 MB file and the tree of 3,554 files
    import atexit
    import shutil
    import tempfile
    if not made:
        top = tempfile.mkdtemp(prefix="frevo-e2e-full-")
        atexit.register(shutil.rmtree, top, ignore_errors=True)
        trees.write_file(os.path.join(top, "big"), trees.BIG_BYTES, random.Random(1))
        trees.make_tree(os.path.join(top, "tree"), trees.TREE_FILES, trees.TREE_DIRS, trees.TREE_BYTES, odd_names=False)
        made += [os.path.join(top, "big"), os.path.join(top, "tree")]
    return made


@for_each_combination
class AsRoot(Copies, ServerCase):
    def test_list_shares(self):
        out = self.succeeded(clients.smbclient_list(self.server))
        for share in ("data", "readonly", "encrypted", "IPC$"):
            self.assertIn(share, out)
        self.assertIn("IPC", out)

    def test_files_belong_to_the_user(self):
        with open(self.local("a"), "wb") as f:
            f.write(b"x")
        for user in ("alice", "bob"):
            self.succeeded(smbclient(self.server, "data", "put a of-%s" % user, cwd=self.tmp, user=user))
            st = os.stat(self.server.data("of-" + user))
            self.assertEqual(st.st_uid, servers.pwd.getpwnam(servers.UNIX[user]).pw_uid)

    def test_permissions_of_the_system_hold(self):
        os.mkdir(self.server.data("private"), 0o700)
        self.server.own(self.server.data("private"))
        self.succeeded(smbclient(self.server, "data", "cd private; ls", user="alice"))
        self.refused(smbclient(self.server, "data", "cd private; ls", user="bob"), "NT_STATUS_ACCESS_DENIED")

    def test_read_only_share(self):
        with open(self.server.data("r.txt"), "wb") as f:
            f.write(b"read me")
        with open(self.local("a"), "wb") as f:
            f.write(b"x")
        self.succeeded(smbclient(self.server, "readonly", "get r.txt", cwd=self.tmp))
        for command in ("put a w", "mkdir d", "del r.txt", "rename r.txt q.txt"):
            _, out = smbclient(self.server, "readonly", command, cwd=self.tmp)
            self.assertRegex(out, "NT_STATUS_(ACCESS_DENIED|MEDIA_WRITE_PROTECTED)", command)
        self.assertTrue(os.path.exists(self.server.data("r.txt")))

    def test_encrypted_share_refuses_plain(self):
        self.succeeded(smbclient(self.server, "encrypted", "ls", protection="encrypted"))
        self.refused(smbclient(self.server, "encrypted", "ls", dialect="SMB2_10"), "NT_STATUS_ACCESS_DENIED")

    def test_links_do_not_leave_the_share(self):
        os.makedirs(self.server.path("data2"), exist_ok=True)  # a sibling whose name begins like the share's
        for name, target in (("etc", "/etc"), ("up", ".."), ("twin", self.server.path("data2"))):
            os.symlink(target, self.server.data(name))
        for path in ("etc/passwd", "up/log", "../log", "etc/../../log"):
            _, out = smbclient(self.server, "data", "get %s stolen" % path.replace("/", "\\"), cwd=self.tmp)
            self.assertIn("NT_STATUS_", out)
            self.assertFalse(os.path.exists(self.local("stolen")), path)

    def test_wildcards_and_case(self):
        os.mkdir(self.server.data("Wild"))
        self.server.own(self.server.data("Wild"))
        for n in ("One.TXT", "two.txt", "three.doc", "noext"):
            with open(self.server.data("Wild", n), "wb") as f:
                f.write(b"x")
        for pattern, want in (("*.txt", {"One.TXT", "two.txt"}), ("t*", {"two.txt", "three.doc"}), ("?????", {"noext"}), ("ONE.*", {"One.TXT"})):
            out = self.succeeded(smbclient(self.server, "data", "cd wild; ls %s" % pattern))
            got = {n for n in ("One.TXT", "two.txt", "three.doc", "noext") if n in out}
            self.assertEqual(got, want, pattern)
        self.succeeded(smbclient(self.server, "data", "get wILD\\oNE.txt got", cwd=self.tmp))

    def test_big_directory(self):
        os.mkdir(self.server.data("many"))
        for i in range(5000):
            os.close(os.open(self.server.data("many", "file number %05d.dat" % i), os.O_CREAT | os.O_WRONLY))
        out = self.succeeded(smbclient(self.server, "data", "cd many; ls"))
        self.assertEqual(len({line.split(".dat")[0].strip() for line in out.splitlines() if ".dat" in line}), 5000)

    def test_rename_over_and_non_empty_directory(self):
        with open(self.local("a"), "wb") as f:
            f.write(b"x")
        _, out = smbclient(self.server, "data", "mkdir full; put a full\\f; rmdir full", cwd=self.tmp)
        self.assertIn("NT_STATUS_DIRECTORY_NOT_EMPTY", out)
        _, out = smbclient(self.server, "data", "put a one; put a two; rename one two", cwd=self.tmp)
        self.assertIn("NT_STATUS_OBJECT_NAME_COLLISION", out)
        self.succeeded(smbclient(self.server, "data", "rename one two -f; deltree full"))

    def test_server_side_copy_and_times(self):
        with open(self.server.data("src"), "wb") as f:
            f.write(random.Random(5).randbytes(3_000_001))
        self.server.own(self.server.data("src"))
        self.succeeded(smbclient(self.server, "data", "scopy src dst"))
        self.assertEqual(trees.digest_file(self.server.data("src")), trees.digest_file(self.server.data("dst")))
        os.utime(self.server.data("src"), (1_000_000_000, 1_000_000_000))
        out = self.succeeded(smbclient(self.server, "data", "allinfo src"))
        self.assertIn("2001", out)

    def test_posix_no_such(self):
        for command, word in (("get none", "OBJECT_NAME_NOT_FOUND"), ("get none\\none", "OBJECT_PATH_NOT_FOUND"),
                              ("cd none", "OBJECT_NAME_NOT_FOUND"), ("rmdir none", "OBJECT_NAME_NOT_FOUND")):
            _, out = smbclient(self.server, "data", command, cwd=self.tmp)
            self.assertIn("NT_STATUS_" + word, out, command)

    def test_no_such_share(self):
        self.refused(smbclient(self.server, "nosuch", "ls"), "NT_STATUS_BAD_NETWORK_NAME")


@unittest.skipIf(servers.KIND == "smbd", "smbd does not run without root")
@for_each_combination
class Unprivileged(Copies, ServerCase):
    @classmethod
    def make_server(cls):
        return servers.FrevoUnprivileged()

    def test_bob_is_unknown_here(self):
        self.refused(smbclient(self.server, "data", "ls", user="bob"), "NT_STATUS_LOGON_FAILURE")


if __name__ == "__main__":
    unittest.main()
