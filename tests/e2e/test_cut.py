"""Copies over a line that is cut again and again, at random places: what arrives is right to the bit.

FREVO_CUTS=N: how many cuts, of all copies together (default 40). The seed is printed, and FREVO_SEED repeats it.
"""
import os
import random
import shutil
import socket
import threading
import unittest

import trees
from test_copy import CopyCase, frevo

CUTS = int(os.environ.get("FREVO_CUTS", "40"))
SEED = int(os.environ.get("FREVO_SEED", random.SystemRandom().randrange(1 << 30)))


class Cutter:
    """Passes connections on to the server and resets each after a random number of bytes, until `left` is used up."""

    def __init__(self, server, rng):
        self.to, self.rng, self.left, self.cuts = (server.host, server.port), rng, 0, 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                a, _ = self.listener.accept()
            except OSError:
                return  # closed: the test is over
            b = socket.create_connection(self.to)
            # Most cuts come while data flows, some in the first words of a connection.
            with self.lock:
                budget = [self.rng.choice((self.rng.randrange(1, 3000), self.rng.randrange(3000, 3_000_000), self.rng.randrange(3000, 3_000_000)))]
            for x, y in ((a, b), (b, a)):
                threading.Thread(target=self.pump, args=(x, y, a, b, budget), daemon=True).start()

    def pump(self, x, y, a, b, budget):
        try:
            while True:
                data = x.recv(65536)
                if not data:
                    break
                with self.lock:
                    budget[0] -= len(data)
                    cut = budget[0] < 0 and self.left > 0
                    if cut:
                        self.left -= 1
                        self.cuts += 1
                        data = data[:self.rng.randrange(len(data))]
                y.sendall(data)
                if cut:
                    break
        except OSError:
            pass  # the other direction has cut
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # already gone

    def close(self):
        self.listener.close()


class Cut(CopyCase):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(SEED)
        print("FREVO_SEED=%d" % SEED)
        self.line = Cutter(self.server, self.rng)
        self.addCleanup(self.line.close)
        self.src = self.local("src")
        trees.make_tree(self.src, files=120, dirs=15, total=30_000_000, seed=SEED)
        trees.write_file(os.path.join(self.src, "large"), 24_000_000, self.rng)

    def cut_url(self, path):
        return "smb://alice@127.0.0.1:%d/data/%s" % (self.line.port, path)

    def copy(self, n, *args):
        """The same command until it ends well; the last time nothing is cut."""
        self.line.left, first = n, self.line.cuts
        runs = 0
        while True:
            runs += 1
            status, out, err = frevo(*args)
            if status == 0:
                break
            self.assertLess(runs, 10 + n, err)
            if runs > 5 + n // 2:
                self.line.left = 0
        cuts = self.line.cuts - first
        print("%s: %d cuts, %d runs" % (args[0], cuts, runs))
        return cuts

    def until(self, cuts, once):
        done = i = 0
        while done < cuts:
            i += 1
            self.assertLess(i, 10 + cuts)
            done += once(i, cuts - done)
        return done

    def nothing_is_left_over(self, root):
        left = [n for _, _, names in os.walk(root) for n in names if n.endswith(".frevo-part")]
        self.assertEqual(left, [])

    def test_get(self):
        shutil.copytree(self.src, self.server.data("tree"))
        for d, dirs, names in os.walk(self.server.data()):
            for n in dirs + names:
                self.server.own(os.path.join(d, n))

        def once(i, n):
            target = self.local("get%d" % i)
            cuts = self.copy(min(n, 20), "get", "-r", "--reconnect", "5", self.cut_url("tree"), target)
            self.same(target, self.src)
            self.nothing_is_left_over(target)
            return cuts
        self.until(CUTS // 2, once)

    def test_put(self):
        def once(i, n):
            cuts = self.copy(min(n, 20), "put", "-r", "--reconnect", "5", self.src, self.cut_url("put%d" % i))
            self.same(self.server.data("put%d" % i), self.src)
            self.nothing_is_left_over(self.server.data("put%d" % i))
            return cuts
        self.until(CUTS // 2, once)


if __name__ == "__main__":
    unittest.main()
