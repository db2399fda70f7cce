"""Shares mounted with `frevo mount`, for tests."""
import os
import subprocess
import tempfile
import time
import unittest

import servers

MOUNT_SECONDS = 30


def why_not():
    """None, or why nothing can be mounted here."""
    if not servers.is_root():
        return "mounting is tested as root"
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as e:
        return "no FUSE on this machine: %s" % e
    return None


class Mount:
    """A share of a server as a folder; in a process of its own, whose last words are kept."""

    def __init__(self, server, share="data", user="alice", options=()):
        self.dir = tempfile.mkdtemp(prefix="frevo-mount-")
        self.log = tempfile.NamedTemporaryFile(prefix="frevo-mount-log-")
        argv = [servers.frevo_bin(), "mount", "-f", "--stats"]
        for o in options:
            argv += ["-o", o]
        argv += ["smb://%s@%s:%d/%s" % (user, server.host, server.port, share), self.dir]
        self.proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                     env={**os.environ, "FREVO_PASSWORD": servers.PASSWORDS[user]},
                                     start_new_session=True)
        end = time.monotonic() + MOUNT_SECONDS
        while not os.path.ismount(self.dir):
            if self.proc.poll() is not None or time.monotonic() > end:
                raise RuntimeError("not mounted: " + self.said())
            time.sleep(0.02)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def said(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            return f.read()

    def unmount(self):
        """Returns the exit status, and what the process said: its counts among it."""
        subprocess.run(["fusermount3", "-u", self.dir], check=False)
        try:
            status = self.proc.wait(60)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
            status = -9
        said = self.said()
        self.log.close()
        try:
            os.rmdir(self.dir)
        except OSError:
            subprocess.run(["fusermount3", "-uz", self.dir], check=False)
        return status, said


class MountCase(unittest.TestCase):
    """Mounts end with their test, in order."""

    def mount(self, server, **how):
        why = why_not()
        if why:
            self.skipTest(why)
        m = Mount(server, **how)
        self.addCleanup(self.ended_well, m)
        return m

    def ended_well(self, m):
        status, said = m.unmount()
        if status != 0 or "ERROR" in said or "runtime error" in said:
            raise AssertionError("the mount ended with status %d:\n%s" % (status, said[-6000:]))
