"""Durable opens of the client library, against Samba's smbd, which gives them; the steps are durable_test.c's."""
import os
import shutil
import subprocess
import unittest

import servers
from case import ServerCase

DURABLE = """[durable]
    path = {dir}/data
    read only = no
    durable handles = yes
    kernel oplocks = no
    kernel share modes = no
    posix locking = no
"""


class Samba(servers.Smbd):
    def write_config(self):
        super().write_config()
        with open(self.path("smb.conf"), "a", encoding="utf-8") as f:
            f.write(DURABLE.format(dir=self.dir))


class Durable(ServerCase):
    @classmethod
    def make_server(cls):
        return Samba()

    @classmethod
    def setUpClass(cls):
        build = os.path.dirname(os.path.dirname(os.path.dirname(servers.frevo_bin())))
        cls.program = os.path.join(build, "src", "client", "client_durable_test")
        if not servers.is_root() or not shutil.which("smbd"):
            raise unittest.SkipTest("needs root and smbd")
        if not os.access(cls.program, os.X_OK):
            raise unittest.SkipTest("FREVO_BIN is not in a build directory")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()  # how smbd ends is not ours to judge
        cls.server.discard()

    def test_opens_outlive_the_line(self):
        url = "smb://alice:%s@127.0.0.1:%d/durable" % (servers.PASSWORDS["alice"], self.server.port)
        r = subprocess.run([self.program], env={**os.environ, "FREVO_TEST_DURABLE": url}, text=True, check=False,
                           timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(r.returncode, 0, r.stdout)


if __name__ == "__main__":
    unittest.main()
