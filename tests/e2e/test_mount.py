"""`frevo mount`: programs that know nothing of it work in a mounted share as in any folder."""
import errno
import fcntl
import mmap
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import unittest

import case
import mounts
import servers

MIB = 1 << 20


class RandomIO:
    """Reads, writes, truncations and mappings at random places of one file, compared with a copy in memory."""

    def __init__(self, path, seed, size=3 * MIB):
        self.path, self.size = path, size
        self.rng = random.Random(seed)
        self.want = bytearray()
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)

    def close(self):
        os.close(self.fd)

    def reopen(self):
        os.close(self.fd)
        self.fd = os.open(self.path, os.O_RDWR)

    def span(self):
        off = self.rng.randrange(self.size)
        n = self.rng.choice((1, 100, 4096, 5000, 65536, 300000))
        return off, min(n, self.size - off)

    def write(self):
        off, n = self.span()
        data = self.rng.randbytes(n)
        assert os.pwrite(self.fd, data, off) == n
        if len(self.want) < off + n:
            self.want.extend(bytes(off + n - len(self.want)))
        self.want[off:off + n] = data

    def check(self, off, n):
        got = os.pread(self.fd, n, off)
        want = bytes(self.want[off:off + n])
        if got != want:
            bad = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            raise AssertionError("bytes differ from %d on (read %d at %d, %d wanted, size %d)" %
                                 (off + bad, len(got), off, len(want), len(self.want)))

    def read(self):
        self.check(*self.span())

    def truncate(self):
        size = self.rng.randrange(self.size)
        os.ftruncate(self.fd, size)
        if size < len(self.want):
            del self.want[size:]
        else:
            self.want.extend(bytes(size - len(self.want)))
        assert os.fstat(self.fd).st_size == size

    def map(self):
        if len(self.want) < 8192:
            return
        with mmap.mmap(self.fd, len(self.want), mmap.MAP_SHARED, mmap.PROT_READ) as m:
            off, n = self.span()
            assert m[off:off + n] == bytes(self.want[off:off + n]), "a mapping differs at %d" % off

    def sync(self):
        os.fsync(self.fd)

    def run(self, steps):
        what = [self.write] * 8 + [self.read] * 8 + [self.truncate] + [self.map] + [self.sync] + [self.reopen]
        for i in range(steps):
            step = self.rng.choice(what)
            try:
                step()
            except AssertionError as e:
                raise AssertionError("step %d (%s): %s" % (i, step.__name__, e)) from None
        self.check(0, len(self.want) + 1)
        assert os.fstat(self.fd).st_size == len(self.want)


def make_tree(top, files=60):
    rng = random.Random(7)
    for i in range(files):
        d = os.path.join(top, *("dir%d" % rng.randrange(4) for _ in range(rng.randrange(4))))
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, "file %d.txt" % i), "wb") as f:
            f.write(rng.randbytes(rng.choice((0, 1, 700, 5000, 70000, 1200000))))


def same_tree(a, b):
    return subprocess.run(["diff", "-r", a, b], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


class Mounted(mounts.MountCase, case.ServerCase):
    def setUp(self):
        super().setUp()
        self.m = self.mount(self.server)
        self.top = self.m.path(self.id().rsplit(".", 1)[1])
        os.mkdir(self.top)
        self.behind = self.server.data(os.path.basename(self.top))  # the same, where the server has it

    def at(self, *parts):
        return os.path.join(self.top, *parts)


class MountTest(Mounted):
    def test_tree_there_and_back(self):
        make_tree(self.local("tree"))
        shutil.copytree(self.local("tree"), self.at("tree"))
        self.assertEqual(same_tree(self.local("tree"), self.at("tree")), "")
        self.assertEqual(same_tree(self.local("tree"), os.path.join(self.behind, "tree")), "")
        shutil.copytree(self.at("tree"), self.at("again"))
        self.assertEqual(same_tree(self.local("tree"), self.at("again")), "")
        shutil.rmtree(self.at("tree"))
        self.assertEqual(os.listdir(self.top), ["again"])
        self.assertEqual(os.listdir(self.behind), ["again"])

    def test_tar(self):
        make_tree(self.local("tree"))
        subprocess.run(["tar", "-cf", self.local("t.tar"), "-C", self.tmp, "tree"], check=True)
        subprocess.run(["tar", "-xf", self.local("t.tar"), "-C", self.top], check=True)
        self.assertEqual(same_tree(self.local("tree"), self.at("tree")), "")
        for d, _, names in os.walk(self.local("tree")):
            for n in names:
                ours = os.path.join(self.at("tree"), os.path.relpath(os.path.join(d, n), self.local("tree")))
                self.assertEqual(int(os.stat(ours).st_mtime), int(os.stat(os.path.join(d, n)).st_mtime), n)

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_git(self):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "safe.directory=*", "-C", self.at("repo")]
        make_tree(self.at("repo"), 20)
        subprocess.run(git + ["init", "-q"], check=True)
        subprocess.run(git + ["add", "."], check=True)
        subprocess.run(git + ["commit", "-q", "-m", "first"], check=True)
        with open(self.at("repo", "more"), "w", encoding="ascii") as f:
            f.write("more\n")
        out = subprocess.run(git + ["status", "--short"], check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(out, "?? more\n")
        subprocess.run(git + ["fsck", "--strict"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_random_io(self):
        for seed in range(3):
            r = RandomIO(self.at("random%d" % seed), seed)
            try:
                r.run(400)
            finally:
                r.close()
            with open(os.path.join(self.behind, "random%d" % seed), "rb") as f:
                self.assertEqual(f.read(), bytes(r.want))

    def test_attributes(self):
        p = self.at("f")
        with open(p, "w", encoding="ascii") as f:
            f.write("12345")
        os.utime(p, ns=(1_500_000_000_123_456_700, 1_400_000_000_987_654_300))
        st = os.stat(p)
        self.assertEqual((st.st_size, st.st_mtime_ns, st.st_nlink), (5, 1_400_000_000_987_654_300, 1))
        os.chmod(p, 0o444)
        self.assertEqual(os.stat(p).st_mode & 0o222, 0)
        os.chmod(p, 0o644)
        self.assertEqual(os.stat(p).st_mode & 0o200, 0o200)
        os.truncate(p, 100000)
        self.assertEqual(os.stat(p).st_size, 100000)
        with open(p, "rb") as f:
            self.assertEqual(f.read(), b"12345" + bytes(99995))
        os.chmod(p, 0o444)
        os.remove(p)  # the folder's to say, not the file's
        self.assertEqual(os.stat(self.top).st_ino, os.stat(self.top).st_ino)
        self.assertGreater(os.statvfs(self.top).f_blocks, 0)

    def test_errors(self):
        with open(self.at("f"), "w", encoding="ascii"):
            pass
        os.mkdir(self.at("d"))
        for what, number in ((lambda: os.open(self.at("none"), os.O_RDONLY), errno.ENOENT),
                             (lambda: os.open(self.at("f"), os.O_CREAT | os.O_EXCL | os.O_WRONLY), errno.EEXIST),
                             (lambda: os.mkdir(self.at("d")), errno.EEXIST),
                             (lambda: os.rmdir(self.top), errno.ENOTEMPTY),
                             (lambda: os.rmdir(self.at("f")), errno.ENOTDIR),
                             (lambda: os.unlink(self.at("d")), errno.EISDIR),
                             (lambda: os.rename(self.at("none"), self.at("x")), errno.ENOENT),
                             (lambda: os.symlink("f", self.at("l")), errno.EPERM),
                             (lambda: os.chown(self.at("f"), 12345, 12345), errno.EPERM),
                             (lambda: os.open(self.at("f", "x"), os.O_RDONLY), errno.ENOTDIR)):
            with self.assertRaises(OSError) as e:
                what()
            self.assertEqual(e.exception.errno, number, e.exception)

    def test_rename(self):
        os.mkdir(self.at("d"))
        for n in "ab":
            with open(self.at(n), "w", encoding="ascii") as f:
                f.write(n)
        with open(self.at("a"), "r+", encoding="ascii") as f, open(self.at("b"), encoding="ascii") as old:
            f.write("A")
            os.rename(self.at("a"), self.at("b"))  # both open
            f.write("!")
            f.flush()
            self.assertEqual(old.read(), "b")
        with open(self.at("b"), encoding="ascii") as f:
            self.assertEqual(f.read(), "A!")
        os.rename(self.at("b"), self.at("d", "c"))
        os.rename(self.at("d"), self.at("e"))
        self.assertEqual(os.listdir(self.top), ["e"])
        self.assertEqual(os.listdir(self.at("e")), ["c"])

    def test_unlink_open(self):
        with open(self.at("f"), "w+b") as f:
            f.write(b"x" * 100000)
            os.remove(self.at("f"))
            self.assertNotIn("f", os.listdir(self.top))
            f.write(b"y" * 10)
            f.flush()
            f.seek(99990)
            self.assertEqual(f.read(), b"x" * 10 + b"y" * 10)
            with open(self.at("f"), "wb") as g:  # the name is free
                g.write(b"new")
        self.assertEqual(os.listdir(self.top), ["f"])
        with open(self.at("f"), "rb") as f:
            self.assertEqual(f.read(), b"new")
        os.remove(self.at("f"))
        os.rmdir(self.top)

    def test_xattr(self):
        p = self.at("f")
        with open(p, "w", encoding="ascii"):
            pass
        os.setxattr(p, "user.colour", b"blue")
        self.assertEqual(os.getxattr(p, "user.colour"), b"blue")
        self.assertEqual([n.lower() for n in os.listxattr(p)], ["user.colour"])
        os.removexattr(p, "user.colour")
        for get in (lambda: os.getxattr(p, "user.colour"), lambda: os.getxattr(p, "security.capability")):
            with self.assertRaises(OSError) as e:
                get()
            self.assertEqual(e.exception.errno, errno.ENODATA)

    def test_links(self):
        with open(self.at("f"), "w", encoding="ascii") as f:
            f.write("x")
        os.link(self.at("f"), self.at("g"))
        self.assertEqual(os.stat(self.at("f")).st_ino, os.stat(self.at("g")).st_ino)
        os.remove(self.at("f"))
        with open(self.at("g"), encoding="ascii") as f:
            self.assertEqual(f.read(), "x")

    def test_copy_inside(self):
        data = os.urandom(3 * MIB + 17)
        with open(self.at("a"), "wb") as f:
            f.write(data)
        subprocess.run(["cp", self.at("a"), self.at("b")], check=True)
        with open(self.at("a"), "rb") as a, open(self.at("c"), "w+b") as c:
            n = 0
            while n < len(data):
                got = os.copy_file_range(a.fileno(), c.fileno(), len(data) - n, n, n)
                self.assertGreater(got, 0)
                n += got
            self.assertEqual(c.read(), data)
        for name in "bc":
            with open(os.path.join(self.behind, name), "rb") as f:
                self.assertEqual(f.read(), data)

    def test_large_folder(self):
        for i in range(2500):
            with open(os.path.join(self.behind, "n%05d" % i), "w", encoding="ascii"):
                pass
        time.sleep(1.1)  # until then we believe that a folder just made here is empty
        self.assertEqual(sorted(os.listdir(self.top)), ["n%05d" % i for i in range(2500)])


class MountLazyTest(mounts.MountCase, case.ServerCase):
    """-o lazy_create."""

    def test_trees(self):
        m = self.mount(self.server, options=["lazy_create"])
        make_tree(self.local("tree"))
        subprocess.run(["tar", "-cf", self.local("t.tar"), "-C", self.tmp, "tree"], check=True)
        subprocess.run(["tar", "-xf", self.local("t.tar"), "-C", m.dir], check=True)
        self.assertEqual(same_tree(self.local("tree"), m.path("tree")), "")
        self.assertEqual(same_tree(self.local("tree"), self.server.data("tree")), "")
        with open(m.path("tree", "x"), "w+", encoding="ascii") as f:
            f.write("12345")
            f.flush()
            self.assertEqual(os.path.getsize(m.path("tree", "x")), 5)
            os.truncate(m.path("tree", "x"), 3)
            f.seek(0)
            self.assertEqual(f.read(), "123")
            os.rename(m.path("tree", "x"), m.path("tree", "y"))
            f.write("6")
        with open(self.server.data("tree", "y"), encoding="ascii") as f:
            self.assertEqual(f.read(), "1236")
        with open(m.path("tree", "z"), "w+", encoding="ascii") as f:
            f.write("never")
            os.remove(m.path("tree", "z"))
            f.seek(0)
            self.assertEqual(f.read(), "never")
        self.assertFalse(os.path.exists(self.server.data("tree", "z")))


class MountTwiceTest(Mounted):
    """Two machines: what one has done, the other sees."""

    def setUp(self):
        super().setUp()
        self.other = self.mount(self.server)
        self.there = self.other.path(os.path.basename(self.top))

    def test_data(self):
        here, there = self.at("f"), os.path.join(self.there, "f")
        with open(here, "w+b", buffering=0) as a:
            a.write(b"first" * 1000)
            with open(there, "r+b", buffering=0) as b:
                self.assertEqual(b.read(), b"first" * 1000)
                for i in range(20):
                    word = b"%05d" % i
                    one, two = (a, b) if i % 2 else (b, a)
                    self.assertEqual(os.pwrite(one.fileno(), word, 5 * i), 5)
                    time.sleep(0.1)  # servers send word of a write, but do not wait until it has arrived
                    self.assertEqual(os.pread(two.fileno(), 5, 5 * i), word, "round %d" % i)
                a.truncate(7)
                time.sleep(0.1)
                self.assertEqual(os.pread(b.fileno(), 100, 0), b"0000000")

    def test_close_to_open(self):
        here, there = self.at("f"), os.path.join(self.there, "f")
        for i in range(30):
            one, two = (there, here) if i % 2 else (here, there)
            data = os.urandom(random.randrange(1, 200000))
            with open(one, "wb") as f:
                f.write(data)
            with open(two, "rb") as f:
                self.assertEqual(f.read(), data, "round %d" % i)

    def test_names(self):
        os.listdir(self.there)
        with open(self.at("new"), "w", encoding="ascii") as f:
            f.write("x")
        time.sleep(1.2)  # without leases of folders, names are believed for a second
        self.assertEqual(os.listdir(self.there), ["new"])
        os.rename(os.path.join(self.there, "new"), os.path.join(self.there, "newer"))
        time.sleep(1.2)
        self.assertEqual(os.listdir(self.top), ["newer"])

    def test_locks(self):
        here, there = self.at("f"), os.path.join(self.there, "f")
        with open(here, "w+b") as a, open(there, "r+b") as b:
            fcntl.lockf(a, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)
            with self.assertRaises(OSError):
                fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 5)
            fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 10)
            fcntl.lockf(a, fcntl.LOCK_UN, 10, 0)
            fcntl.lockf(b, fcntl.LOCK_EX | fcntl.LOCK_NB, 20, 0)
            got = []
            waiter = threading.Thread(target=lambda: (fcntl.lockf(a, fcntl.LOCK_EX, 1, 0), got.append(1)))
            waiter.start()
            time.sleep(0.3)
            self.assertEqual(got, [])
            fcntl.lockf(b, fcntl.LOCK_UN)
            waiter.join(20)
            self.assertEqual(got, [1])
        with open(here, "r+b") as a, open(there, "r+b") as b:
            fcntl.flock(a, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with self.assertRaises(OSError):
                fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(a, fcntl.LOCK_UN)
            fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_random_io_of_both(self):
        """Each writes its own half and reads all of it."""
        path = "r"
        size = 400000
        with open(self.at(path), "wb") as f:
            f.write(bytes(2 * size))
        fds = [os.open(os.path.join(d, path), os.O_RDWR) for d in (self.top, self.there)]
        want = bytearray(2 * size)
        rng = random.Random(3)
        for i in range(150):
            who = rng.randrange(2)
            off = who * size + rng.randrange(size - 5000)
            data = rng.randbytes(rng.randrange(1, 5000))
            os.pwrite(fds[who], data, off)
            want[off:off + len(data)] = data
            off = rng.randrange(2 * size)
            self.assertEqual(os.pread(fds[1 - who], 3000, off), bytes(want[off:off + 3000]), "step %d" % i)
        for fd in fds:
            os.close(fd)


class MountRestartTest(mounts.MountCase):
    """A server that dies and comes back in the middle of everything."""

    def setUp(self):
        if not servers.is_root():
            self.skipTest("needs root")
        self.server = servers.make()
        self.addCleanup(self.server.discard)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.m = self.mount(self.server)

    def restart_during(self, work):
        """work: Python, with `path` set. In a process of its own: a child of this one, which is to become the server,
        would wait in close(2) for the server."""
        done = subprocess.Popen([sys.executable, "-c", "import os, random, time\npath = %r\n%s" % (self.m.dir, work)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(3):
            time.sleep(0.4)
            self.server.kill()
            time.sleep(0.2)
            self.server.start()
        try:
            out, _ = done.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            done.kill()
            self.m.proc.kill()
            self.fail("the work hangs: " + self.m.said())
        self.assertEqual((done.returncode, out), (0, ""))

    def test_writing_goes_on(self):
        self.restart_during("""
data = random.Random(1).randbytes(1 << 20)
with open(path + "/big", "wb", buffering=0) as f:
    for i in range(60):
        assert f.write(data) == len(data)
        time.sleep(0.03)
    os.fsync(f.fileno())
""")
        data = random.Random(1).randbytes(MIB)
        with open(self.server.data("big"), "rb") as f:
            for i in range(60):
                self.assertEqual(f.read(MIB) == data, True, "MiB %d" % i)

    def test_files_go_on(self):
        self.restart_during("""
for i in range(150):
    with open(path + "/f%d" % i, "w", encoding="ascii") as f:
        f.write("file %d\\n" % i)
    with open(path + "/f%d" % i, encoding="ascii") as f:
        assert f.read() == "file %d\\n" % i
""")
        self.assertEqual(len(os.listdir(self.m.dir)), 150)


class MountHelperTest(mounts.MountCase, case.ServerCase):
    """As mount(8) and fstab do it."""

    @unittest.skipUnless(shutil.which("mount.fuse3") or os.path.exists("/sbin/mount.fuse3"), "needs mount.fuse3")
    def test_mount_8(self):
        why = mounts.why_not()
        if why:
            self.skipTest(why)
        bin_dir = self.local("bin")
        os.mkdir(bin_dir)
        os.symlink(servers.frevo_bin(), os.path.join(bin_dir, "frevo"))
        with open(self.local("credentials"), "w", encoding="ascii") as f:
            f.write("username=alice\npassword=%s\n" % servers.PASSWORDS["alice"])
        os.mkdir(self.local("mnt"))
        url = "smb://%s:%d/data" % (self.server.host, self.server.port)
        helper = shutil.which("mount.fuse3") or "/sbin/mount.fuse3"
        done = subprocess.run([helper, url, self.local("mnt"), "-o",
                               "rw,credentials=%s,_netdev,x-systemd.automount" % self.local("credentials"),
                               "-t", "fuse.frevo"], text=True, timeout=60,
                              env={**os.environ, "PATH": bin_dir + ":" + os.environ["PATH"]},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        try:
            self.assertTrue(os.path.ismount(self.local("mnt")))
            with open(self.local("mnt", "x"), "w", encoding="ascii") as f:
                f.write("y")
        finally:
            subprocess.run([servers.frevo_bin(), "umount", self.local("mnt")], check=True)
        with open(self.server.data("x"), encoding="ascii") as f:
            self.assertEqual(f.read(), "y")


if __name__ == "__main__":
    unittest.main()
