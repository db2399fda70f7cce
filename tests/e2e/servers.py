"""A private server for the tests: Frevo as root, Frevo as anybody, or Samba's smbd to check the tests themselves.

FREVO_BIN names the program; FREVO_E2E_SERVER=smbd runs the tests against smbd. Every server has its own directory
and port and is ended by its process id.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KIND = os.environ.get("FREVO_E2E_SERVER", "frevo")
PASSWORDS = {"alice": "secret", "bob": "secret2"}
# The system accounts behind them: any two that exist everywhere, so that none has to be made.
UNIX = {"alice": "games", "bob": "news"}
START_SECONDS = 20


def frevo_bin():
    places = [os.environ.get("FREVO_BIN", "")] + [
        os.path.join(ROOT, b, s, "frevo") for b in ("build-asan", "build") for s in ("src/cli", "src/server")]
    for p in places:
        if p and os.path.isfile(p) and os.access(p, os.X_OK):
            return os.path.abspath(p)
    raise RuntimeError("no frevo program: ./dev build, or set FREVO_BIN")


def is_root():
    return os.geteuid() == 0


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """One server with the shares data, readonly (the same directory), encrypted; users alice and bob."""
    host = "127.0.0.1"
    privileged = True  # each user is a system user of his own

    def __init__(self, **settings):
        self.settings = settings  # of [server], over the defaults
        self.port = free_port()
        self.dir = tempfile.mkdtemp(prefix="frevo-e2e-")
        os.chmod(self.dir, 0o755)
        self.log = os.path.join(self.dir, "log")
        self.proc = None
        for d in ("data", "encrypted"):
            os.mkdir(self.path(d))
            os.chmod(self.path(d), 0o777)
            self.own(self.path(d))

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def data(self, *parts):
        return self.path("data", *parts)

    def own(self, path):
        if is_root():
            u = pwd.getpwnam(self.unix_account("alice"))
            os.chown(path, u.pw_uid, u.pw_gid)

    def unix_account(self, user):
        return UNIX[user]

    def start(self):
        out = open(self.log, "ab")
        self.proc = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                     env=self.environment(), start_new_session=True)
        out.close()
        end = time.monotonic() + START_SECONDS
        while not self.listens():
            if self.proc.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start:\n" + self.log_tail())
            time.sleep(0.05)
        return self

    def listens(self):
        try:
            socket.create_connection((self.host, self.port), timeout=2).close()
            return True
        except OSError:
            return False

    def environment(self):
        return dict(os.environ)

    def log_tail(self, n=40):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as f:
                return "".join(f.readlines()[-n:])
        except OSError:
            return ""

    def alive(self):
        return self.proc is not None and self.proc.poll() is None

    def kill(self):
        """As a power cut would."""
        self.proc.kill()
        self.proc.wait()

    def stop(self):
        """As an administrator would; returns the exit status."""
        if self.proc is None:
            return 0
        if self.proc.poll() is None:
            self.proc.terminate()
            try:
                self.proc.wait(20)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()
                return -signal.SIGKILL
        return self.proc.returncode

    def discard(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def memory_kib(self):
        """Memory of the server and its children, shared pages in part."""
        total, todo = 0, [self.proc.pid]
        while todo:
            pid = todo.pop()
            try:
                with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as f:
                    total += sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
                for t in os.listdir("/proc/%d/task" % pid):
                    with open("/proc/%d/task/%s/children" % (pid, t), encoding="ascii") as f:
                        todo += [int(c) for c in f.read().split()]
            except OSError:
                continue
        return total


class Frevo(Server):
    """As root with a configuration file."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.bin = frevo_bin()
        for user, admin in (("alice", ["--admin"]), ("bob", [])):
            self.user("add", user, "--unix", UNIX[user], *admin, password=PASSWORDS[user])
        self.write_config()

    def user(self, verb, name, *args, password=None, check=True):
        return subprocess.run([self.bin, "user", verb] + ([name] if name else []) + ["--users", self.path("users"), *args],
                              input=None if password is None else password + "\n", text=True, check=check,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def write_config(self):
        server = {"port": self.port, "listen": "127.0.0.1", "name": "E2E", "state": self.path("state"),
                  "users": self.path("users"), "signing": "offered", "encryption": "offered", "anonymous": "ipc",
                  "log-level": "info", **{k.replace("_", "-"): v for k, v in self.settings.items()}}
        shares = {
            "data": {"path": self.data(), "read-only": "no", "comment": "the tests' share"},
            "readonly": {"path": self.data(), "read-only": "yes"},
            "encrypted": {"path": self.path("encrypted"), "read-only": "no", "encrypt": "yes"},
        }
        with open(self.path("frevo.conf"), "w", encoding="utf-8") as f:
            f.write("[server]\n" + "".join("%s = %s\n" % kv for kv in server.items()))
            for name, settings in shares.items():
                f.write("\n[share %s]\n" % name + "".join("%s = %s\n" % kv for kv in settings.items()))

    def command(self):
        return [self.bin, "serve", "--config", self.path("frevo.conf")]


class FrevoUnprivileged(Server):
    """One command without configuration, as a user without rights."""
    privileged = False

    def __init__(self, **settings):
        super().__init__(**settings)
        # a copy: the build directory may be out of that user's reach
        self.bin = shutil.copy2(frevo_bin(), self.path("frevo"))
        os.mkdir(self.path("state"), 0o700)
        self.own(self.path("state"))

    def command(self):
        argv = [self.bin, "serve", "--port", str(self.port), "--listen", "127.0.0.1", "--state", self.path("state"),
                "--user", "alice", "--share", "data=" + self.data(), "--share", "readonly=%s,read-only" % self.data()]
        if is_root():
            argv = ["setpriv", "--reuid", UNIX["alice"], "--regid", UNIX["alice"], "--clear-groups"] + argv
        return argv

    def environment(self):
        return {**os.environ, "FREVO_PASSWORD": PASSWORDS["alice"], "HOME": self.path("state")}


SMB_CONF = """[global]
    server role = standalone server
    workgroup = E2E
    netbios name = E2E
    smb ports = {port}
    interfaces = lo
    bind interfaces only = yes
    disable netbios = yes
    server min protocol = SMB2_02
    lock directory = {dir}/lock
    state directory = {dir}/smbstate
    cache directory = {dir}/cache
    private dir = {dir}/private
    pid directory = {dir}/pid
    ncalrpc dir = {dir}/ncalrpc
    passdb backend = tdbsam:{dir}/private/passdb.tdb
    username map = {dir}/map
    log file = {dir}/log.smbd
    map to guest = Never
    load printers = no
    printing = bsd
    printcap name = /dev/null
    server signing = {signing}
    vfs objects = streams_xattr
[data]
    path = {dir}/data
    read only = no
[readonly]
    path = {dir}/data
    read only = yes
[encrypted]
    path = {dir}/encrypted
    read only = no
    smb encrypt = required
"""


class Smbd(Server):
    def __init__(self, **settings):
        super().__init__(**settings)
        for d in ("lock", "smbstate", "cache", "private", "pid", "ncalrpc"):
            os.mkdir(self.path(d), 0o755)
        self.write_config()
        for user, unix in UNIX.items():
            subprocess.run(["smbpasswd", "-c", self.path("smb.conf"), "-L", "-s", "-a", unix], check=True, text=True,
                           input="%s\n%s\n" % (PASSWORDS[user], PASSWORDS[user]), stdout=subprocess.DEVNULL)

    def write_config(self):
        signing = {"required": "mandatory"}.get(self.settings.get("signing"), "auto")
        with open(self.path("smb.conf"), "w", encoding="utf-8") as f:
            f.write(SMB_CONF.format(port=self.port, dir=self.dir, signing=signing))
        with open(self.path("map"), "w", encoding="utf-8") as f:
            f.write("".join("%s = %s\n" % (unix, user) for user, unix in UNIX.items()))

    def command(self):
        return ["smbd", "-F", "--no-process-group", "-s", self.path("smb.conf")]

    def kill(self):
        # its children keep the connections: all of the process group is the "machine"
        os.killpg(self.proc.pid, signal.SIGKILL)
        self.proc.wait()

    def stop(self):
        status = super().stop()
        try:
            os.killpg(self.proc.pid, signal.SIGTERM)
        except OSError:
            pass
        return status


def make(**settings):
    """The server under test, with all its users; root only."""
    return (Smbd if KIND == "smbd" else Frevo)(**settings)
