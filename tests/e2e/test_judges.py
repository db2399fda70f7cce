"""The judges' door: what foreign suites rely on."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import servers
from clients import smbclient

DOOR = os.path.join(servers.ROOT, "tests", "judges")


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
@unittest.skipUnless(servers.is_root(), "needs root")
class Door(unittest.TestCase):
    host = "127.0.0.1"

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="frevo-judges-")
        os.chmod(self.dir, 0o755)
        self.port = servers.free_port()
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def start(self, *args):
        t0 = time.monotonic()
        r = subprocess.run([os.path.join(DOOR, "start"), "--port", str(self.port), "--dir", self.dir, *args], check=False, timeout=30,
                           env={**os.environ, "FREVO_BIN": servers.frevo_bin()}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertLess(time.monotonic() - t0, 5)
        pid = next(int(line) for line in r.stdout.splitlines() if line.isdigit())
        self.addCleanup(self.stop, pid)
        return pid

    def stop(self, pid):
        return subprocess.run([os.path.join(DOOR, "stop"), str(pid)], check=False, timeout=30).returncode

    def test_shares_and_accounts(self):
        pid = self.start()
        for share in ("test", "test2", "readonly", "hideunread", "nostreams", "dosmode", "shadow", "admin", "tmpguest", "fs_btrfs"):
            status, out = smbclient(self, share, "ls", password="secret")
            self.assertEqual(status, 0, share + out)
        self.assertEqual(smbclient(self, "encrypted", "ls", protection="encrypted")[0], 0)
        self.assertEqual(smbclient(self, "perf", "ls", user="perfusr", password="perfpass")[0], 0)
        self.assertIn("NT_STATUS_ACCESS_DENIED", smbclient(self, "noperm", "ls")[1])
        self.assertNotEqual(smbclient(self, "test", "ls", user="stranger", password="x")[0], 0)
        self.assertEqual(self.stop(pid), 0)

    def test_killed_and_started_again(self):
        pid = self.start()
        self.assertEqual(smbclient(self, "test", "mkdir kept")[0], 0)
        os.kill(pid, signal.SIGKILL)
        self.start()
        self.assertIn("kept", smbclient(self, "test", "ls")[1])

    def test_profile_strict_signs(self):
        self.start("--profile", "strict")
        self.assertEqual(smbclient(self, "test", "ls", protection="signed")[0], 0)


if __name__ == "__main__":
    unittest.main()
