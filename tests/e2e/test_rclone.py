"""rclone (its own SMB client, written in Go): a tree both ways, checked by rclone and by us."""
import os
import unittest

import trees
from case import ServerCase
from clients import rclone

FULL = os.environ.get("FREVO_E2E") == "full"


class Rclone(ServerCase):
    def test_tree_both_ways(self):
        trees.make_tree(self.local("out"), odd_names=False)  # rclone rewrites the odd ones itself
        self.succeeded(rclone(self.server, "copy", "--create-empty-src-dirs", self.local("out"), "e2e:data/tree"))
        self.assertEqual(trees.digest(self.server.data("tree")), trees.digest(self.local("out")))
        self.succeeded(rclone(self.server, "check", "--download", self.local("out"), "e2e:data/tree"))
        self.succeeded(rclone(self.server, "copy", "--create-empty-src-dirs", "e2e:data/tree", self.local("back")))
        self.assertEqual(trees.digest(self.local("back")), trees.digest(self.local("out")))

    def test_sync_removes_and_renames(self):
        trees.make_tree(self.local("out"), files=20, dirs=3, total=200_000, odd_names=False)
        self.succeeded(rclone(self.server, "sync", self.local("out"), "e2e:data/sync"))
        victim = next(p for p, h in trees.digest(self.local("out")).items() if h != "/")
        os.unlink(self.local("out", victim))
        self.succeeded(rclone(self.server, "sync", self.local("out"), "e2e:data/sync"))
        self.assertFalse(os.path.exists(self.server.data("sync", victim)))
        self.succeeded(rclone(self.server, "move", "e2e:data/sync", "e2e:data/moved"))
        self.succeeded(rclone(self.server, "purge", "e2e:data/moved"))
        self.assertFalse(os.path.exists(self.server.data("moved")))

    def test_listing_sizes_and_times(self):
        with open(self.local("a"), "wb") as f:
            f.write(b"12345")
        os.utime(self.local("a"), (1_000_000_000, 1_000_000_000))
        self.succeeded(rclone(self.server, "copy", self.local("a"), "e2e:data/listing"))
        out = self.succeeded(rclone(self.server, "lsl", "e2e:data/listing"))
        self.assertIn("5 2001-09-09", out)
        self.assertIn("data", self.succeeded(rclone(self.server, "lsd", "e2e:")))

    @unittest.skipUnless(FULL, "FREVO_E2E=full")
    def test_full_size(self):
        import test_smbclient
        big, tree = test_smbclient.full_data()
        for source in (big, tree):
            name = os.path.basename(source)
            self.succeeded(rclone(self.server, "copy", source, "e2e:data/full/" + name, timeout=1800))
            self.succeeded(rclone(self.server, "copy", "e2e:data/full/" + name, self.local(name), timeout=1800))
        self.assertEqual(trees.digest_file(self.local("big", "big")), trees.digest_file(big))
        files = {p: h for p, h in trees.digest(tree).items() if h != "/"}
        self.assertEqual({p: h for p, h in trees.digest(self.local("tree")).items() if h != "/"}, files)


if __name__ == "__main__":
    unittest.main()
