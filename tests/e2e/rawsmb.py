"""An SMB 2 client that sends whatever it is told to: frames of the test's own making, in any order.

NTLM and the ciphers come from impacket; the frames are made here, from [MS-SMB2] 2.2, so that each byte can be wrong.
"""
import hashlib
import hmac
import os
import socket
import struct

from impacket import crypto, ntlm, spnego

from servers import PASSWORDS

(NEGOTIATE, SESSION_SETUP, LOGOFF, TREE_CONNECT, TREE_DISCONNECT, CREATE, CLOSE, FLUSH, READ, WRITE, LOCK, IOCTL, CANCEL,
 ECHO, QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO, SET_INFO, OPLOCK_BREAK) = range(19)
NAMES = ("negotiate session_setup logoff tree_connect tree_disconnect create close flush read write lock ioctl cancel echo "
         "query_directory change_notify query_info set_info oplock_break").split()

OK, PENDING = 0, 0x103
INVALID_PARAMETER, ACCESS_DENIED, MORE_PROCESSING = 0xC000000D, 0xC0000022, 0xC0000016
USER_SESSION_DELETED, NETWORK_NAME_DELETED, LOGON_FAILURE = 0xC0000203, 0xC00000C9, 0xC000006D
FILE_CLOSED, INVALID_DEVICE_REQUEST, END_OF_FILE, NOT_SUPPORTED = 0xC0000128, 0xC0000010, 0xC0000011, 0xC00000BB
BAD_NETWORK_NAME, INSUFFICIENT_RESOURCES, REQUEST_NOT_ACCEPTED, FILE_CORRUPT = 0xC00000CC, 0xC000009A, 0xC00000D0, 0xC0000102
RESPONSE, ASYNC, RELATED, SIGNED = 1, 2, 4, 8

HEADER = struct.Struct("<4sHHIHHIIQIIQ16s")
NO_FILE = b"\xff" * 16


def header(command, mid, *, flags=0, tree=0, session=0, next_command=0, credits=64, charge=1, pid=0xFEFF, status=0):
    return HEADER.pack(b"\xfeSMB", 64, charge, status, command, credits, flags, next_command, mid, pid, tree, session, bytes(16))


# ---- bodies of requests, [MS-SMB2] 2.2.3 and on ------------------------------------------------------

def negotiate(dialects, contexts=(), guid=None, security_mode=1, count=None, capabilities=0x7F):
    body = struct.pack("<HHHHI16s", 36, len(dialects) if count is None else count, security_mode, 0, capabilities, guid or os.urandom(16))
    names = struct.pack("<%dH" % len(dialects), *dialects)
    if not contexts:
        return body + bytes(8) + names
    pad = bytes(-(64 + 36 + len(names)) % 8)
    at = 64 + 36 + len(names) + len(pad)
    return body + struct.pack("<IHH", at, len(contexts), 0) + names + pad + pad_chain(contexts)


def pad_chain(contexts):
    out = b""
    for kind, data in contexts:
        out += bytes(-len(out) % 8) + struct.pack("<HHI", kind, len(data), 0) + data
    return out


def contexts_311():
    return [(1, struct.pack("<HHH", 1, 32, 1) + os.urandom(32)), (2, struct.pack("<HHH", 2, 2, 1)), (8, struct.pack("<HH", 1, 1))]


def session_setup(token, flags=0, mode=1, previous=0):
    return struct.pack("<HBBIIHHQ", 25, flags, mode, 0, 0, 64 + 24, len(token), previous) + token


def tree_connect(path):
    name = path.encode("utf-16-le")
    return struct.pack("<HHHH", 9, 0, 64 + 8, len(name)) + name


def create(name, access=0x12019F, share=7, disposition=3, options=0, attributes=0, contexts=b"", oplock=0):
    n = name.encode("utf-16-le") if isinstance(name, str) else name
    at = 64 + 56
    where = (at + len(n) + 7) // 8 * 8 if contexts else 0
    body = struct.pack("<HBBIQQIIIIIHHII", 57, 0, oplock, 2, 0, 0, access, attributes, share, disposition, options, at, len(n),
                       where, len(contexts))
    body += n
    if contexts:
        body += bytes(where - at - len(n)) + contexts
    return body if len(body) > 56 else body + b"\0"


def close(file, flags=0):
    return struct.pack("<HHI", 24, flags, 0) + file


def flush(file):
    return struct.pack("<HHI", 24, 0, 0) + file


def read(file, length, offset=0, minimum=0):
    return struct.pack("<HBBIQ16sIIIHH", 49, 0, 0, length, offset, file, minimum, 0, 0, 0, 0) + b"\0"


def write(file, data, offset=0, data_offset=64 + 48, length=None):
    return struct.pack("<HHIQ16sIIHHI", 49, data_offset, len(data) if length is None else length, offset, file, 0, 0, 0, 0, 0) + data


def lock(file, locks):
    return struct.pack("<HHI16s", 48, len(locks), 0, file) + b"".join(struct.pack("<QQII", o, n, f, 0) for o, n, f in locks)


def ioctl(file, code, data=b"", max_out=65536, flags=1):
    return struct.pack("<HHI16sIIIIIIII", 57, 0, code, file, 64 + 56 if data else 0, len(data), 0, 0, 0, max_out, flags, 0) + (data or b"\0")


def echo():
    return struct.pack("<HH", 4, 0)


def query_directory(file, pattern="*", info=37, flags=0, max_out=65536):
    p = pattern.encode("utf-16-le")
    return struct.pack("<HBBI16sHHI", 33, info, flags, 0, file, 64 + 32, len(p), max_out) + p


def change_notify(file, what=0xFFF, max_out=4096):
    return struct.pack("<HHI16sII", 32, 0, max_out, file, what, 0)


def query_info(file, kind=1, info=18, data=b"", additional=0, max_out=65536):
    return struct.pack("<HBBIHHIII16s", 41, kind, info, max_out, 64 + 40 if data else 0, 0, len(data), additional, 0, file) + (data or b"\0")


def set_info(file, kind, info, data, additional=0):
    return struct.pack("<HBBIHHI16s", 33, kind, info, len(data), 64 + 32, 0, additional, file) + data


def oplock_break(file, level=0):
    return struct.pack("<HBBI16s", 24, level, 0, 0, file)


def empty():  # LOGOFF, TREE_DISCONNECT, CANCEL
    return struct.pack("<HH", 4, 0)


class Dropped(Exception):
    """The server closed the connection."""


class Reply:
    def __init__(self, message):
        (_, _, self.charge, self.status, self.command, self.credits, self.flags, self.next_command, self.mid, self.async_low,
         self.tree, self.session, self.signature) = HEADER.unpack_from(message)
        self.message = message
        self.body = message[64:]

    def file(self):
        """FileId of a CREATE's answer"""
        return self.body[64:80]

    def data(self):
        """of a READ's answer"""
        offset, length = self.body[2], struct.unpack_from("<I", self.body, 4)[0]
        return self.message[offset:offset + length]


class Raw:
    def __init__(self, server, timeout=15):
        self.sock = socket.create_connection((server.host, server.port), timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server = server
        self.mid = 0
        self.session = 0
        self.tree = 0
        self.dialect = 0
        self.key = None  # session key of NTLM
        self.signing_key = None
        self.preauth = bytes(64)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    # ---- frames ----

    def send(self, message):
        self.sock.sendall(struct.pack(">I", len(message)) + message)

    def exactly(self, n):
        out = b""
        while len(out) < n:
            try:
                piece = self.sock.recv(n - len(out))
            except (ConnectionResetError, BrokenPipeError):
                raise Dropped from None
            if not piece:
                raise Dropped
            out += piece
        return out

    def receive(self):
        return self.exactly(struct.unpack(">I", self.exactly(4))[0] & 0xFFFFFF)

    def replies(self):
        """The elements of the next frame."""
        message, out = self.receive(), []
        while message:
            r = Reply(message)
            if r.next_command:
                r.message, r.body = message[:r.next_command], message[64:r.next_command]
                message = message[r.next_command:]
            else:
                message = b""
            out.append(r)
        return out

    def dropped(self):
        """True when the server has closed or closes the connection now; answers before that are read."""
        try:
            while True:
                self.receive()
        except Dropped:
            return True
        except socket.timeout:
            return False

    # ---- requests ----

    def next_mid(self, charge=1):
        mid = self.mid
        self.mid += max(1, charge)
        return mid

    def sign(self, message):
        """message with its signature; one element"""
        message = message[:16] + struct.pack("<I", struct.unpack_from("<I", message, 16)[0] | SIGNED) + message[20:48] + bytes(16) + message[64:]
        if self.dialect >= 0x0300:
            mac = crypto.AES_CMAC(self.signing_key, message, len(message))
        else:
            mac = hmac.new(self.key, message, hashlib.sha256).digest()
        return message[:48] + mac[:16] + message[64:]

    def packet(self, command, body, *, signed=False, mid=None, charge=1, **fields):
        fields.setdefault("session", self.session)
        fields.setdefault("tree", self.tree)
        m = header(command, self.next_mid(charge) if mid is None else mid, charge=charge if self.dialect > 0x0202 else 0, **fields) + body
        return self.sign(m) if signed else m

    def must_sign(self):
        """3.1.1 wants every request of a signed-in user signed"""
        return self.dialect == 0x0311 and self.key is not None

    def call(self, command, body, **fields):
        """Sends one request and returns its final reply; replies to others are dropped."""
        fields.setdefault("signed", self.must_sign())
        m = self.packet(command, body, **fields)
        mid = struct.unpack_from("<Q", m, 24)[0]
        self.send(m)
        while True:
            for r in self.replies():
                if r.mid == mid and not (r.status == PENDING and r.flags & ASYNC):
                    return r

    def compound(self, elements):
        """elements: (command, body, fields). One frame; returns one reply an element, whatever frames they come in."""
        out = b""
        for i, (command, body, fields) in enumerate(elements):
            last = i == len(elements) - 1
            fields = dict(fields)
            signed = fields.pop("signed", False)
            length = 64 + len(body)
            pad = 0 if last else -length % 8
            m = self.packet(command, body + bytes(pad), next_command=0 if last else length + pad, **fields)
            out += self.sign(m) if signed else m
        self.send(out)
        got = []
        while len(got) < len(elements):
            got += [r for r in self.replies() if not (r.status == PENDING and r.flags & ASYNC)]
        return got

    # ---- the way in ----

    def hash_in(self, message):
        self.preauth = hashlib.sha512(self.preauth + message).digest()

    def negotiate(self, dialect=0x0210, **how):
        body = negotiate([dialect], contexts_311() if dialect == 0x0311 else (), **how)
        m = self.packet(NEGOTIATE, body)
        self.send(m)
        r = self.replies()[0]
        if r.status == OK:
            self.dialect = struct.unpack_from("<H", r.body, 4)[0]
            self.hash_in(m)
            self.hash_in(r.message)
        return r

    def login(self, user="alice", password=None, dialect=0x0210, domain=""):
        """NEGOTIATE unless done, and both steps of SESSION_SETUP; returns the last reply."""
        if not self.dialect:
            self.negotiate(dialect)
        hello = ntlm.getNTLMSSPType1("E2E", domain, signingRequired=True)
        r = self.setup(first_token(hello.getData()))
        if r.status != MORE_PROCESSING:
            return r
        self.session = r.session
        self.proof, self.exported = self.authenticate(hello, r, user, password, domain)
        return self.prove(self.proof)

    def authenticate(self, hello, challenge_reply, user, password, domain):
        offset, length = struct.unpack_from("<HH", challenge_reply.body, 4)
        challenge = spnego.SPNEGO_NegTokenResp(challenge_reply.message[offset:offset + length])["ResponseToken"]
        password = PASSWORDS.get(user, "") if password is None else password
        proof, key = ntlm.getNTLMSSPType3(hello, challenge, user, password, domain, use_ntlmv2=True)
        return proof.getData(), key

    def setup(self, token):
        m = self.packet(SESSION_SETUP, session_setup(token), tree=0)
        self.send(m)
        r = self.replies()[0]
        self.hash_in(m)
        if r.status == MORE_PROCESSING:
            self.hash_in(r.message)
        return r

    def prove(self, proof):
        token = spnego.SPNEGO_NegTokenResp()
        token["ResponseToken"] = proof
        r = self.setup(token.getData())
        if r.status == OK:
            self.key = self.exported
            self.signing_key = self.derive()
        return r

    def derive(self):
        if self.dialect == 0x0311:
            label, context = b"SMBSigningKey\0", self.preauth
        else:
            label, context = b"SMB2AESCMAC\0", b"SmbSign\0"
        return hmac.new(self.key, struct.pack(">I", 1) + label + b"\0" + context + struct.pack(">I", 128), hashlib.sha256).digest()[:16]

    def connect(self, share, **how):
        r = self.call(TREE_CONNECT, tree_connect("\\\\%s\\%s" % (self.server.host, share)), tree=0, **how)
        if r.status == OK:
            self.tree = r.tree
        return r

    def open(self, name, **how):
        r = self.call(CREATE, create(name, **how))
        if r.status != OK:
            raise AssertionError("open of %r: 0x%08x" % (name, r.status))
        return r.file()


def first_token(hello):
    token = spnego.SPNEGO_NegTokenInit()
    token["MechTypes"] = [spnego.TypesMech["NTLMSSP - Microsoft NTLM Security Support Provider"]]
    token["MechToken"] = hello
    return token.getData()


def signed_in(server, share="data", user="alice", dialect=0x0210):
    """A connection with a session and a tree."""
    c = Raw(server)
    r = c.login(user, dialect=dialect)
    if r.status != OK:
        raise AssertionError("sign-in: 0x%08x" % r.status)
    r = c.connect(share)
    if r.status != OK:
        raise AssertionError("tree connect: 0x%08x" % r.status)
    return c
