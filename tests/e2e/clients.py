"""The command-line clients, as their users run them."""
import os
import subprocess

from servers import PASSWORDS

DIALECTS = ("SMB2_02", "SMB2_10", "SMB3_00", "SMB3_02", "SMB3_11")
# smbclient's word for what protects the connection
PROTECTION = {"plain": "off", "signed": "sign", "encrypted": "encrypt"}
TIMEOUT = 120


def combinations():
    for dialect in DIALECTS:
        for protection in PROTECTION:
            if protection != "encrypted" or dialect.startswith("SMB3"):
                yield dialect, protection


def smbclient_argv(server, share, dialect=None, protection="signed", user="alice", password=None, extra=()):
    argv = ["smbclient", "//%s/%s" % (server.host, share), "-p", str(server.port), "--configfile=/dev/null",
            "--client-protection=" + PROTECTION[protection], *extra]
    argv += ["-N"] if user is None else ["-U", "%s%%%s" % (user, PASSWORDS.get(user, "") if password is None else password)]
    if dialect:
        argv += ["-m", dialect, "--option=client min protocol=" + dialect]
    return argv


def smbclient(server, share, commands, cwd=None, timeout=TIMEOUT, **how):
    """Runs the commands; returns (exit status, all output)."""
    r = subprocess.run(smbclient_argv(server, share, **how) + ["-c", commands], cwd=cwd, timeout=timeout, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.returncode, r.stdout.decode("utf-8", "replace")


def smbclient_list(server, **how):
    """smbclient -L"""
    argv = smbclient_argv(server, "", **how)
    argv[1] = "-L" + server.host
    r = subprocess.run(argv, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.returncode, r.stdout.decode("utf-8", "replace")


def rclone(server, *args, timeout=TIMEOUT, user="alice"):
    """rclone with a remote `e2e:`; returns (exit status, output)."""
    hidden = subprocess.run(["rclone", "obscure", PASSWORDS[user]], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    env = {**os.environ, "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_E2E_TYPE": "smb", "RCLONE_CONFIG_E2E_HOST": server.host,
           "RCLONE_CONFIG_E2E_PORT": str(server.port), "RCLONE_CONFIG_E2E_USER": user, "RCLONE_CONFIG_E2E_PASS": hidden,
           "RCLONE_RETRIES": "1", "RCLONE_LOW_LEVEL_RETRIES": "1"}
    r = subprocess.run(["rclone", *args], env=env, timeout=timeout, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return r.returncode, r.stdout
