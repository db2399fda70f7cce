"""Many clients at once, and clients that behave badly: nobody else notices."""
import os
import resource
import shutil
import socket
import struct
import subprocess
import threading
import time
import unittest

import rawsmb as R
import servers
import trees
from case import ServerCase
from clients import smbclient, smbclient_argv
from test_smbclient import full_data

IDLE = 1000
PATIENCE = 3.0  # seconds: far above what an undisturbed operation takes, far below any time-out


class Load(ServerCase):
    def ordinary_work(self):
        """What somebody else does meanwhile: a new sign-in, a file written, read, removed. Returns the seconds it took."""
        t0 = time.monotonic()
        c = R.signed_in(self.server)
        f = c.open("ordinary", access=0x13019F, disposition=5)
        body = os.urandom(60_000)
        self.assertEqual(c.call(R.WRITE, R.write(f, body)).status, R.OK)
        self.assertEqual(c.call(R.READ, R.read(f, len(body))).data(), body)
        self.assertEqual(c.call(R.CLOSE, R.close(f)).status, R.OK)
        c.sock.close()
        return time.monotonic() - t0

    def nobody_is_disturbed(self, rounds=10):
        for _ in range(rounds):
            self.assertLess(self.ordinary_work(), PATIENCE)

    def eight_smbclients(self, source, patience):
        want = trees.digest(source)
        procs = []
        for i in range(8):
            os.mkdir(self.local("back%d" % i))
            argv = smbclient_argv(self.server, "data", protection=("plain", "signed", "encrypted")[i % 3], user=("alice", "bob")[i % 2])
            script = "timeout {3}; mkdir at-once-{0}; cd at-once-{0}; prompt; recurse; lcd {1}; mput *; lcd {2}; mget *".format(
                i, source, self.local("back%d" % i), patience)
            procs.append(subprocess.Popen(argv + ["-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        outs = [None] * 8
        readers = [threading.Thread(target=lambda i=i, p=p: outs.__setitem__(i, p.communicate()[0])) for i, p in enumerate(procs)]
        for t in readers:
            t.start()
        for i, t in enumerate(readers):
            t.join(patience)
            self.assertFalse(t.is_alive(), "client %d does not end" % i)
            self.succeeded((procs[i].returncode, outs[i].decode("utf-8", "replace")))
            self.assertEqual(trees.digest(self.server.data("at-once-%d" % i)), want)
            self.assertEqual(trees.digest(self.local("back%d" % i)), want)

    def test_eight_smbclients_at_once(self):
        trees.make_tree(self.local("out"), files=60, total=12_000_000)
        self.eight_smbclients(self.local("out"), 300)

    @unittest.skipUnless(os.environ.get("FREVO_E2E") == "full", "FREVO_E2E=full")
    def test_eight_smbclients_at_once_full_size(self):
        big, tree = full_data()
        shutil.copytree(tree, self.local("out"), copy_function=os.link)
        os.link(big, self.local("out", "big"))
        self.eight_smbclients(self.local("out"), 3000)

    def test_thousand_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
        before = self.server.memory_kib()
        held = [R.signed_in(self.server) for _ in range(IDLE)]
        each = (self.server.memory_kib() - before) / IDLE
        print("%d idle connections: %.1f KiB each" % (IDLE, each))
        self.nobody_is_disturbed()
        time.sleep(1)
        for c in held:
            self.assertEqual(c.call(R.ECHO, R.echo()).status, R.OK)
            c.sock.close()
        self.nobody_is_disturbed(1)

    def test_stalled_in_mid_request(self):
        held = []
        for i in range(50):
            c = R.signed_in(self.server)
            f = c.open("stalled-%d" % i)
            m = c.packet(R.WRITE, R.write(f, bytes(50_000)))
            c.sock.sendall((struct.pack(">I", len(m)) + m)[:(i * 997) % len(m)])
            held.append(c)
        self.nobody_is_disturbed()
        for c in held:
            c.sock.close()
        self.nobody_is_disturbed(1)

    def test_flood_without_reading_the_answers(self):
        body = os.urandom(1 << 20)
        with open(self.server.data("big"), "wb") as f:
            f.write(body)
        before = self.server.memory_kib()
        stop = threading.Event()

        def flood():
            c = R.signed_in(self.server)
            f = c.open("big", access=0x120089)
            c.sock.settimeout(0.5)
            try:
                while not stop.is_set():
                    c.send(c.packet(R.READ, R.read(f, 65536)))
            except OSError:
                pass
            stop.wait()
            c.sock.close()
        threads = [threading.Thread(target=flood) for _ in range(4)]
        for t in threads:
            t.start()
        try:
            time.sleep(1)
            self.nobody_is_disturbed()
            self.assertLess(self.server.memory_kib() - before, 512 * 1024, "answers that nobody reads are bounded")
        finally:
            stop.set()
            for t in threads:
                t.join()

    def test_flood_of_echoes(self):
        c = R.signed_in(self.server)
        c.sock.settimeout(5)
        done = 0
        t0 = time.monotonic()
        while time.monotonic() - t0 < 2:
            for _ in range(50):
                c.send(c.packet(R.ECHO, R.echo()))
            for _ in range(50):
                c.replies()
                done += 1
        c.sock.close()
        self.assertGreater(done, 0)
        self.nobody_is_disturbed(3)

    def test_half_closed(self):
        for i in range(50):
            c = R.signed_in(self.server)
            f = c.open("half-%d" % i)
            c.send(c.packet(R.WRITE, R.write(f, b"last words")))
            c.sock.shutdown(socket.SHUT_WR)
            self.assertTrue(c.dropped(), "the server closes its half too")
            c.sock.close()
        self.nobody_is_disturbed(3)
        # nobody was told that it is written; but it is never written in part
        for i in range(50):
            self.assertIn(os.path.getsize(self.server.data("half-%d" % i)), (0, 10))

    def test_reset_in_mid_answer(self):
        for i in range(50):
            c = R.signed_in(self.server)
            f = c.open("reset-%d" % (i % 5), share=7)
            for _ in range(10):
                c.send(c.packet(R.WRITE, R.write(f, bytes(1000))))
            c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.sock.close()
        self.nobody_is_disturbed(3)

    def test_files_of_a_lost_connection_are_freed(self):
        c = R.signed_in(self.server)
        c.open("exclusive", share=0)
        c.sock.close()
        end = time.monotonic() + 5
        while True:
            c = R.signed_in(self.server)
            r = c.call(R.CREATE, R.create("exclusive", share=0))
            c.sock.close()
            if r.status == R.OK or time.monotonic() > end:
                break
        self.assertEqual(r.status, R.OK)

    def test_connections_come_and_go(self):
        self.ordinary_work()
        before = self.server.memory_kib()
        for _ in range(300):
            R.signed_in(self.server).sock.close()
        self.nobody_is_disturbed(1)
        self.assertLess(self.server.memory_kib() - before, 64 * 1024)

    def test_one_big_listing_holds_nobody_up(self):
        os.makedirs(self.server.data("crowd"), exist_ok=True)
        for i in range(20_000):
            os.close(os.open(self.server.data("crowd", "f%06d" % i), os.O_CREAT | os.O_WRONLY))
        p = subprocess.Popen(smbclient_argv(self.server, "data") + ["-c", "cd crowd; ls"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.nobody_is_disturbed(5)
        self.assertEqual(p.wait(120), 0)


class Restart(ServerCase):
    def test_killed_and_started_again(self):
        body = os.urandom(100_000)
        c = R.signed_in(self.server)
        f = c.open("kept")
        for i in range(0, len(body), 50_000):
            self.assertEqual(c.call(R.WRITE, R.write(f, body[i:i + 50_000], offset=i)).status, R.OK)
        self.assertEqual(c.call(R.FLUSH, R.flush(f)).status, R.OK)
        self.server.kill()
        self.assertTrue(c.dropped())
        c.sock.close()
        self.server.start()
        self.succeeded(smbclient(self.server, "data", "get kept", cwd=self.tmp))
        with open(self.local("kept"), "rb") as got:
            self.assertEqual(got.read(), body)

    @unittest.skipIf(servers.KIND == "smbd", "smbd's exit status tells nothing")
    def test_stopped_with_clients_and_started_again(self):
        held = [R.signed_in(self.server) for _ in range(10)]
        for i, c in enumerate(held):
            c.open("open-%d" % i)
        t0 = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - t0, 10)
        for c in held:
            self.assertTrue(c.dropped())
            c.sock.close()
        self.server.start()
        self.succeeded(smbclient(self.server, "data", "ls"))


if __name__ == "__main__":
    unittest.main()
