"""Kerberos: smbclient with a ticket of a KDC that the test starts, against a server with a keytab."""
import os
import shutil
import subprocess
import tempfile
import unittest

import servers
from case import ServerCase

REALM = "FREVO.TEST"
HOST = "files.frevo.test"
KDC = shutil.which("krb5kdc", path="/usr/sbin:/sbin:" + os.environ.get("PATH", ""))

KRB5_CONF = """[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
[domain_realm]
 {host} = {realm}
"""

KDC_CONF = """[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {dir}/principal
  key_stash_file = {dir}/stash
  acl_file = {dir}/acl
  max_life = 1d
 }}
"""


class Realm:
    """A private realm: a KDC on a free loopback port, alice, and the server's key in a keytab."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="frevo-e2e-kdc-")
        self.keytab = os.path.join(self.dir, "keytab")
        words = {"realm": REALM, "port": servers.free_port(), "host": HOST, "dir": self.dir}
        for name, text in (("krb5.conf", KRB5_CONF), ("kdc.conf", KDC_CONF)):
            with open(os.path.join(self.dir, name), "w") as f:
                f.write(text.format(**words))
        self.env = dict(os.environ, KRB5_CONFIG=self.dir + "/krb5.conf", KRB5_KDC_PROFILE=self.dir + "/kdc.conf",
                        KRB5CCNAME="FILE:%s/tickets" % self.dir, PATH="/usr/sbin:/sbin:" + os.environ.get("PATH", ""))
        self.run(["kdb5_util", "create", "-r", REALM, "-s", "-P", "master"])
        for line in ("addprinc -pw secret alice", "addprinc -randkey cifs/" + HOST, "addprinc -randkey cifs/other." + HOST,
                     "ktadd -k %s cifs/%s" % (self.keytab, HOST)):
            self.run(["kadmin.local", "-r", REALM, "-q", line])
        self.kdc = subprocess.Popen([KDC, "-n", "-r", REALM], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, command, **more):
        return subprocess.run(command, env=self.env, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)

    def sign_in(self, *options):
        for _ in range(20):  # the KDC takes a moment
            try:
                return self.run(["kinit", *options, "alice@" + REALM], input="secret\n")
            except subprocess.CalledProcessError as e:
                last = e
        raise AssertionError(last.stdout)

    def smbclient(self, server, command, host=HOST, *options):
        done = subprocess.run(["smbclient", "//%s/data" % host, "-I", "127.0.0.1", "-p", str(server.port), "--use-kerberos=required",
                               "-U", "alice@" + REALM, *options, "-c", command], env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout

    def end(self):
        self.kdc.terminate()
        self.kdc.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
@unittest.skipUnless(KDC, "krb5-kdc is not installed")
class Kerberos(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.realm = Realm()
        cls.settings = {"keytab": cls.realm.keytab}
        try:
            super().setUpClass()
        except BaseException:
            cls.realm.end()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.realm.end()
        super().tearDownClass()

    def test_a_ticket_lets_in(self):
        self.realm.sign_in()
        path = self.local("letter")
        with open(path, "wb") as f:
            f.write(os.urandom(100000))
        back = self.local("back")
        self.succeeded(self.realm.smbclient(self.server, "put %s letter; get letter %s; ls" % (path, back)))
        with open(path, "rb") as a, open(back, "rb") as b:
            self.assertEqual(a.read(), b.read())
        with open(self.server.log) as f:
            self.assertIn("Kerberos", f.read())

    def test_encrypted_too(self):
        self.realm.sign_in()
        self.succeeded(self.realm.smbclient(self.server, "ls", HOST, "--client-protection=encrypt"))

    def test_without_a_ticket_nobody_gets_in(self):
        subprocess.run(["kdestroy"], env=self.realm.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        status, out = self.realm.smbclient(self.server, "ls")
        self.assertNotEqual(status, 0, out)

    def test_a_ticket_for_another_server_is_refused(self):
        self.realm.sign_in()
        status, out = self.realm.smbclient(self.server, "ls", "other." + HOST)
        self.assertNotEqual(status, 0, out)

    def test_passwords_still_do(self):
        from clients import smbclient
        self.succeeded(smbclient(self.server, "data", "ls"))
