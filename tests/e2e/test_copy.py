"""get, put, sync and cp against a server: what arrives, what is left alone, what is gone on with, what it costs."""
import glob
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
import unittest

import servers
import trees
from case import ServerCase

OLD = 1_600_000_000_123_456_700  # ns, a time of long ago with SMB's grain


def start(*args, password=servers.PASSWORDS["alice"], **how):
    env = {**os.environ, "KRB5CCNAME": "", "HOME": "/nonexistent", "FREVO_PASSWORD": password}
    env.pop("XDG_CONFIG_HOME", None)
    return subprocess.Popen([servers.frevo_bin(), *args], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, **how)


def frevo(*args, **how):
    """(exit status, stdout, stderr)"""
    p = start(*args, **how)
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err


def write(path, data, ns=OLD):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.utime(path, ns=(ns, ns))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def round_trips(err):
    return int(re.search(r"(\d+) round trips", err).group(1))


class CopyCase(ServerCase):
    def setUp(self):
        super().setUp()
        for name in os.listdir(self.server.data()):
            p = self.server.data(name)
            shutil.rmtree(p) if os.path.isdir(p) else os.unlink(p)

    def url(self, path="", share="data"):
        return "smb://alice@%s:%d/%s/%s" % (self.server.host, self.server.port, share, path)

    def done(self, *args, **how):
        status, out, err = frevo(*args, **how)
        self.assertEqual(status, 0, err + out)
        return out, err

    def fails(self, *args, words=(), status=1):
        got, out, err = frevo(*args)
        self.assertEqual(got, status, err + out)
        for w in words:
            self.assertIn(w, err)
        return err

    def on_server(self, path, data=b"", ns=OLD):
        write(self.server.data(path), data, ns)
        for d, dirs, names in os.walk(self.server.data()):
            for n in dirs + names:
                self.server.own(os.path.join(d, n))

    def same(self, a, b):
        self.assertEqual(trees.digest(a), trees.digest(b))


class Trees(CopyCase):
    def make(self, root):
        trees.make_tree(root)
        trees.write_file(os.path.join(root, "large"), 5_000_000, __import__("random").Random(3))
        os.chmod(os.path.join(root, "plain"), 0o444)
        for i, (d, dirs, names) in enumerate(os.walk(root, topdown=False)):
            for n in names:
                os.utime(os.path.join(d, n), ns=(OLD, OLD + 100 * i))
            os.utime(d, ns=(OLD, OLD + 1000 * i))

    def times(self, root):
        return {os.path.relpath(os.path.join(d, n), root): os.stat(os.path.join(d, n)).st_mtime_ns // 100
                for d, dirs, names in os.walk(root) for n in dirs + names}

    def test_there_and_back(self):
        self.make(self.local("t"))
        self.done("put", "-r", self.local("t"), self.url("t"))
        self.same(self.local("t"), self.server.data("t"))
        self.done("get", "-r", self.url("t"), self.local("back"))
        self.same(self.local("t"), self.local("back"))
        self.assertEqual(self.times(self.local("t")), self.times(self.local("back")))
        self.assertFalse(os.stat(self.local("back", "plain")).st_mode & 0o222)
        self.assertEqual(glob.glob(self.local("**", ".*frevo-part"), recursive=True), [])

    def test_what_is_the_same_is_left_alone(self):
        self.make(self.local("t"))
        self.done("put", "-r", self.local("t"), self.url("t"))
        folders = sum(1 for _ in os.walk(self.local("t")))
        for args in (("sync", self.local("t"), self.url("t")), ("sync", self.url("t"), self.local("t")),
                     ("put", "-r", self.local("t"), self.url("t")), ("get", "-r", self.url("t"), self.local("t"))):
            out, err = self.done(*args, "--stats", "--verbose")
            self.assertNotIn("copied", out)
            self.assertLess(round_trips(err), 12 + 3 * folders, err)

    def test_small_files_cost_one_round_trip(self):
        for i in range(200):
            write(self.local("t", "f%03d" % i), b"x" * (i + 1))
        up = round_trips(self.done("put", "-r", self.local("t"), self.url("t"), "--stats")[1])
        down = round_trips(self.done("get", "-r", self.url("t"), self.local("back"), "--stats")[1])
        self.assertLess(up, 200 + 25)
        self.assertLess(down, 200 + 25)

    def test_filters(self):
        for n in ("a.jpg", "b.tmp", "sub/c.jpg", "sub/d.png", "cache/e.jpg"):
            write(self.local("t", n), n.encode())
        self.done("put", "-r", "--include", "*.jpg", self.local("t"), self.url("one"))
        self.done("put", "-r", "--exclude", "*.tmp", "--exclude", "cache/", self.local("t"), self.url("two"))
        names = lambda d: sorted(k for k, v in trees.digest(self.server.data(d)).items() if v != "/")
        self.assertEqual(names("one"), ["a.jpg", "cache/e.jpg", "sub/c.jpg"])
        self.assertEqual(names("two"), ["a.jpg", "sub/c.jpg", "sub/d.png"])

    def test_dry_run_changes_nothing(self):
        self.make(self.local("t"))
        for args in (("put", "-r", self.local("t"), self.url("t")), ("sync", self.local("t"), self.url("t"))):
            out, _ = self.done(*args, "--dry-run")
            self.assertIn("would be copied", out)
            self.assertEqual(os.listdir(self.server.data()), [])
        self.on_server("r/a", b"1")
        self.done("get", "-r", "--dry-run", self.url("r"), self.local("r"))
        self.assertFalse(os.path.exists(self.local("r")))

    def test_links_are_not_followed(self):
        write(self.local("t", "file"), b"1")
        write(self.local("secret"), b"2")
        os.symlink("../secret", self.local("t", "link"))
        os.symlink("..", self.local("t", "up"))
        _, err = self.done("put", "-r", self.local("t"), self.url("t"))
        self.assertEqual(os.listdir(self.server.data("t")), ["file"])
        self.assertEqual(err.count("symbolic link"), 2)

    def test_links_in_the_target_lead_nowhere(self):
        self.on_server("t/sub/file", b"new")
        self.on_server("t/link", b"new")
        os.makedirs(self.local("t"))
        write(self.local("outside", "file"), b"old")
        os.symlink("../outside", self.local("t", "sub"))
        os.symlink("../outside/file", self.local("t", "link"))
        self.fails("get", "-r", self.url("t"), self.local("t"))
        self.assertEqual(read(self.local("outside", "file")), b"old")
        self.done("sync", "--delete", self.url("t"), self.local("t"))
        self.assertEqual(read(self.local("outside", "file")), b"old")
        self.same(self.server.data("t"), self.local("t"))


class Sync(CopyCase):
    def test_new_changed_and_gone(self):
        for n in ("same", "changed", "sub/deep/gone"):
            write(self.local("t", n), n.encode())
        self.done("sync", self.local("t"), self.url("t"))
        write(self.local("t", "changed"), b"CHANGED")
        write(self.local("t", "new"), b"new")
        shutil.rmtree(self.local("t", "sub"))
        out, _ = self.done("sync", "-v", self.local("t"), self.url("t"))
        self.assertEqual(out.count("copied"), 1, "the same size and time: not seen")
        self.done("sync", "--all", self.local("t"), self.url("t"))
        self.assertTrue(os.path.exists(self.server.data("t/sub/deep/gone")))
        self.done("sync", "--delete", self.local("t"), self.url("t"))
        self.same(self.local("t"), self.server.data("t"))

    def test_delete_here(self):
        self.on_server("t/a", b"a")
        for n in ("a", "b", "c/d/e"):
            write(self.local("t", n), b"old", OLD + 10**9)
        self.done("sync", "--delete", self.url("t"), self.local("t"))
        self.same(self.server.data("t"), self.local("t"))

    def test_what_filters_leave_out_is_not_deleted(self):
        write(self.local("t", "a"), b"a")
        self.on_server("t/keep.log", b"x")
        self.on_server("t/extra", b"x")
        self.done("sync", "--delete", "--exclude", "*.log", self.local("t"), self.url("t"))
        self.assertEqual(sorted(os.listdir(self.server.data("t"))), ["a", "keep.log"])

    def test_conflicts(self):
        write(self.local("t", "x", "y"), b"1")
        write(self.local("t", "z"), b"1")
        self.on_server("t/x", b"a file")
        self.on_server("t/z/inside", b"a folder")
        self.fails("sync", self.local("t"), self.url("t"), words=("--delete",))
        self.done("sync", "--delete", self.local("t"), self.url("t"))
        self.same(self.local("t"), self.server.data("t"))

    def test_times_alone(self):
        write(self.local("t", "a"), b"a")
        self.done("sync", self.local("t"), self.url("t"))
        os.utime(self.local("t", "a"), ns=(OLD, OLD + 5 * 10**9 + 100))
        self.done("sync", self.local("t"), self.url("t"))
        self.assertEqual(os.stat(self.server.data("t/a")).st_mtime_ns // 100, (OLD + 5 * 10**9 + 100) // 100)


class Files(CopyCase):
    def test_one_file(self):
        write(self.local("a"), b"hello")
        self.done("put", self.local("a"), self.url("b"))
        self.assertEqual(read(self.server.data("b")), b"hello")
        os.mkdir(self.server.data("dir"))
        self.server.own(self.server.data("dir"))
        self.done("put", self.local("a"), self.url("dir"))
        self.assertEqual(read(self.server.data("dir/a")), b"hello")
        self.done("put", self.local("a"), self.local("a"), self.url("dir/"))
        self.done("get", self.url("b"), self.local("c"))
        self.assertEqual(read(self.local("c")), b"hello")
        os.mkdir(self.local("d"))
        self.done("get", self.url("b"), self.local("d"))
        self.assertEqual(read(self.local("d", "b")), b"hello")
        self.done("get", self.url("b"), cwd=self.tmp)
        self.assertEqual(read(self.local("b")), b"hello")
        self.assertEqual(os.stat(self.local("b")).st_mtime_ns, OLD)

    def test_large_and_empty_and_read_only(self):
        for n, size in (("empty", 0), ("edge", 1 << 20), ("over", (1 << 20) + 1), ("large", 20_000_003)):
            write(self.local(n), os.urandom(size))
            self.done("put", self.local(n), self.url(n))
            self.assertEqual(read(self.local(n)), read(self.server.data(n)), n)
            self.done("get", self.url(n), self.local(n + ".back"))
            self.assertEqual(read(self.local(n)), read(self.local(n + ".back")), n)
        for n in ("edge", "large"):
            os.chmod(self.local(n), 0o444)
            self.done("put", self.local(n), self.url(n))
            self.done("put", self.local(n), self.url(n))  # over a read-only one
            self.done("get", self.url(n), self.local(n + ".ro"))
            self.assertFalse(os.stat(self.local(n + ".ro")).st_mode & 0o222)

    def test_verify(self):
        for n, size in (("small", 5), ("large", 3_000_000)):
            write(self.local(n), os.urandom(size))
            out, _ = self.done("put", "--verify", "--json", self.local(n), self.url(n))
            sums = [json.loads(line).get("sha256") for line in out.splitlines()]
            self.assertIn(trees.digest_file(self.local(n)), sums)
            self.done("get", "--verify", self.url(n), self.local(n + "2"))

    def test_holes_stay_holes(self):
        with open(self.local("s"), "wb") as f:
            f.truncate(64 << 20)
            f.seek(32 << 20)
            f.write(os.urandom(1 << 20))
        out, err = self.done("put", self.local("s"), self.url("s"), "--stats")
        self.assertLess(int(re.search(r"(\d+) bytes out", err).group(1)), 8 << 20)
        self.assertEqual(trees.digest_file(self.local("s")), trees.digest_file(self.server.data("s")))
        self.done("get", self.url("s"), self.local("back"))
        self.assertEqual(trees.digest_file(self.local("s")), trees.digest_file(self.local("back")))
        if servers.KIND == "frevo":
            self.assertLess(os.stat(self.server.data("s")).st_blocks * 512, 8 << 20)
            self.assertLess(os.stat(self.local("back")).st_blocks * 512, 8 << 20)

    def test_mistakes(self):
        self.fails("get", self.url("none"), self.local("x"), words=("none", "no such file"))
        self.fails("put", self.local("none"), self.url("x"), words=("none",))
        self.fails("get", self.url("a"), self.url("b"), words=())
        self.fails("put", "a", "b", status=2)
        self.fails("sync", "a", "b", status=2)
        self.fails("sync", self.url("a"), "smb://other/share/x", status=2)
        self.on_server("dir/a", b"1")
        self.fails("get", self.url("dir"), self.local("x"), words=("-r",))
        os.mkdir(self.local("dir"))
        self.fails("put", self.local("dir"), self.url("y"), words=("-r",))
        write(self.local("a"), b"1")
        self.fails("put", self.local("a"), self.url("no/such/place"), words=("no/such/place",))
        self.fails("put", self.local("a"), self.url("a", share="readonly"))

    def test_bandwidth_limit(self):
        write(self.local("a"), os.urandom(3_000_000))
        began = time.monotonic()
        self.done("put", "--bwlimit", "2M", self.local("a"), self.url("a"))
        self.assertGreater(time.monotonic() - began, 0.9)
        self.assertEqual(read(self.local("a")), read(self.server.data("a")))

    def test_within_the_share(self):
        self.on_server("t/a", b"hello")
        self.on_server("t/sub/large", os.urandom(5_000_000))
        self.done("cp", self.url("t/a"), self.url("b"))
        self.assertEqual(read(self.server.data("b")), b"hello")
        self.assertEqual(os.stat(self.server.data("b")).st_mtime_ns, OLD)
        _, err = self.done("cp", "-r", self.url("t"), self.url("copy"), "--stats")
        self.same(self.server.data("t"), self.server.data("copy"))
        self.assertLess(int(re.search(r"(\d+) bytes out", err).group(1)), 1_000_000)
        self.done("cp", self.url("t/a"), self.url("t/sub"))
        self.assertEqual(read(self.server.data("t/sub/a")), b"hello")
        self.done("cp", "-r", "--verify", self.url("t"), self.url("copy2"))


class Resume(CopyCase):
    SIZE = 30_000_000

    def interrupted(self, *args, wait_for):
        """Runs until the pattern's file is a few MB long, then sends SIGINT."""
        p = start(*args, "--bwlimit", "20M")
        end = time.monotonic() + 30
        while not any(os.stat(f).st_size > 3_000_000 for f in glob.glob(wait_for)):
            self.assertIsNone(p.poll(), p.stderr.read() if p.poll() is not None else "")
            self.assertLess(time.monotonic(), end, "nothing grows")
            time.sleep(0.02)
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=30)
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("again", err)

    def test_get_goes_on(self):
        self.on_server("big", os.urandom(self.SIZE))
        pattern = self.local("x", ".big.*.frevo-part")
        os.mkdir(self.local("x"))
        self.interrupted("get", self.url("big"), self.local("x", "big"), wait_for=pattern)
        part, = glob.glob(pattern)
        have = os.stat(part).st_size
        self.assertEqual(read(part), read(self.server.data("big"))[:have])
        self.assertFalse(os.path.exists(self.local("x", "big")))
        _, err = self.done("get", "--stats", self.url("big"), self.local("x", "big"))
        self.assertEqual(os.listdir(self.local("x")), ["big"])
        self.assertEqual(read(self.local("x", "big")), read(self.server.data("big")))
        self.assertLess(int(re.search(r"(\d+) bytes in", err).group(1)), self.SIZE - have + (2 << 20))

    def test_a_part_of_another_source_is_not_used(self):
        self.on_server("big", os.urandom(self.SIZE))
        os.mkdir(self.local("x"))
        self.interrupted("get", self.url("big"), self.local("x", "big"), wait_for=self.local("x", ".big.*.frevo-part"))
        self.on_server("big", os.urandom(self.SIZE), OLD + 10**9)
        self.done("get", self.url("big"), self.local("x", "big"))
        self.assertEqual(read(self.local("x", "big")), read(self.server.data("big")))

    def test_put_goes_on(self):
        write(self.local("big"), os.urandom(self.SIZE))
        self.interrupted("put", self.local("big"), self.url("big"), wait_for=self.server.data(".big.*.frevo-part"))
        self.assertFalse(os.path.exists(self.server.data("big")))
        self.done("put", self.local("big"), self.url("big"))
        self.assertEqual(os.listdir(self.server.data()), ["big"])
        self.assertEqual(read(self.local("big")), read(self.server.data("big")))

    def test_a_server_that_comes_back(self):
        self.on_server("big", os.urandom(self.SIZE))
        write(self.local("up"), os.urandom(self.SIZE))
        for args, grows in ((("get", self.url("big"), self.local("big")), self.local(".big.*.frevo-part")),
                            (("put", self.local("up"), self.url("up")), self.server.data(".up.*.frevo-part"))):
            p = start(*args, "--bwlimit", "20M")
            end = time.monotonic() + 30
            while not any(os.stat(f).st_size > 3_000_000 for f in glob.glob(grows)) and time.monotonic() < end:
                time.sleep(0.02)
            self.server.kill()
            self.server.start()
            _, err = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 0, err)
        self.assertEqual(read(self.local("big")), read(self.server.data("big")))
        self.assertEqual(read(self.local("up")), read(self.server.data("up")))


if __name__ == "__main__":
    unittest.main()
