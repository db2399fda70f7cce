"""What all test classes share: a server for the class, and clients' failures shown with the server's last words."""
import os
import shutil
import tempfile
import unittest

import servers


class ServerCase(unittest.TestCase):
    """One server for all tests of a class; it must end cleanly after them."""
    settings = {}

    @classmethod
    def make_server(cls):
        return servers.make(**cls.settings)

    @classmethod
    def setUpClass(cls):
        if not servers.is_root() and cls.make_server.__func__ is ServerCase.make_server.__func__:
            raise unittest.SkipTest("needs root")
        cls.server = cls.make_server()
        cls.server.start()

    @classmethod
    def tearDownClass(cls):
        died = not cls.server.alive()
        status = cls.server.stop()
        tail = cls.server.log_tail()
        cls.server.discard()
        if died or (status != 0 and servers.KIND == "frevo"):
            raise AssertionError("the server %s with status %d:\n%s" % ("died" if died else "ended", status, tail))

    def setUp(self):
        self.tmp = tempfile.mkdtemp(prefix="frevo-e2e-local-")
        self.addCleanup(shutil.rmtree, self.tmp, ignore_errors=True)

    def local(self, *parts):
        return os.path.join(self.tmp, *parts)

    def succeeded(self, result):
        """(status, output) of a client that must have succeeded; returns the output."""
        status, out = result
        if status != 0 or "NT_STATUS_" in out.replace("NT_STATUS_OK", ""):
            self.fail("client failed (%d):\n%s\nserver:\n%s" % (status, out[-3000:], self.server.log_tail(15)))
        return out

    def refused(self, result, *words):
        """(status, output) of a client that must have been refused with one of these statuses."""
        status, out = result
        self.assertNotEqual(status, 0, out)
        self.assertTrue(any(w in out for w in words), "expected one of %s:\n%s" % (words, out))
