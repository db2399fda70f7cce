"""Who gets in, and how far."""
import time
import unittest

import clients
import rawsmb as R
import servers
from case import ServerCase
from clients import smbclient


class Users(ServerCase):
    def test_known_users(self):
        for user in ("alice", "bob"):
            self.succeeded(smbclient(self.server, "data", "ls", user=user))

    def test_names_know_no_case(self):
        self.succeeded(smbclient(self.server, "data", "ls", user="ALICE", password="secret"))

    def test_wrong_password(self):
        self.refused(smbclient(self.server, "data", "ls", password="wrong"), "NT_STATUS_LOGON_FAILURE")

    def test_unknown_user_is_no_guest(self):
        for user, password in (("nobody-such", "x"), ("nobody-such", ""), ("root", "x"), ("guest", "")):
            self.refused(smbclient(self.server, "data", "ls", user=user, password=password), "NT_STATUS_LOGON_FAILURE", "NT_STATUS_ACCESS_DENIED")

    def test_anonymous_reaches_the_list_alone(self):
        how = {"user": None, "protection": "plain"}
        self.refused(smbclient(self.server, "data", "ls", **how), "NT_STATUS_ACCESS_DENIED", "NT_STATUS_LOGON_FAILURE")
        status, out = smbclient(self.server, "IPC$", "quit", **how)
        self.assertEqual(status, 0, out)

    def test_ntlmv1_and_lm_are_refused(self):
        extra = ("--option=client ntlmv2 auth=no", "--option=client use spnego=yes")
        self.refused(smbclient(self.server, "data", "ls", extra=extra), "NT_STATUS_LOGON_FAILURE", "NT_STATUS_INVALID_PARAMETER", "NT_STATUS_ACCESS_DENIED")

    def test_empty_password_of_a_user_with_one(self):
        self.refused(smbclient(self.server, "data", "ls", user="alice", password=""), "NT_STATUS_LOGON_FAILURE")


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
class Throttling(ServerCase):
    def test_guessing_is_slowed_down_for_that_user(self):
        for i in range(12):
            with R.Raw(self.server) as c:
                self.assertNotEqual(c.login("alice", "guess %d" % i).status, R.OK)
        with R.Raw(self.server) as c:
            self.assertNotEqual(c.login("alice").status, R.OK, "refused even with the right password, for a while")
        end = time.monotonic() + 70
        while time.monotonic() < end:
            with R.Raw(self.server) as c:
                if c.login("alice").status == R.OK:
                    return
            time.sleep(2)
        self.fail("still refused after 70 s")


class SigningRequired(ServerCase):
    settings = {"signing": "required"}

    def test_smbclient_signs_although_told_not_to(self):
        for dialect in clients.DIALECTS:
            self.succeeded(smbclient(self.server, "data", "ls", dialect=dialect, protection="plain"))


@unittest.skipIf(servers.KIND == "smbd", "ours alone")
class EncryptionRequired(ServerCase):
    settings = {"encryption": "required"}

    def test_only_encrypted(self):
        self.succeeded(smbclient(self.server, "data", "ls", dialect="SMB3_11", protection="encrypted"))
        self.succeeded(smbclient(self.server, "data", "ls", dialect="SMB3_00", protection="encrypted"))
        status, out = smbclient(self.server, "data", "ls", dialect="SMB2_10")
        self.assertNotEqual(status, 0, out)


if __name__ == "__main__":
    unittest.main()
