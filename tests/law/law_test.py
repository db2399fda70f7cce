#!/usr/bin/env python3
"""The law's own tests: each row is a small tree with one breach (or none), and what must be said."""
import os
import shutil
import tempfile
import unittest

import law

GOOD = {
    "base/cursor.h": "int cur;\n",
    "store/store.h": "int store;\n",
    "store/mem/mem.h": "int mem;\n",
    "fs/open.h": '#include "base/cursor.h"\n#include "store/store.h"\n',
    "front/smb2/read.c": '#include "fs/open.h"\n#include "wire/smb2/read.h"\n',
    "wire/smb2/read.h": '#include "base/cursor.h"\n',
    "cli/main.c": '#include "server/run.h"\nint main(void)\n{\n        exit(0);\n}\n',
    "server/run.h": '#include "front/smb2/front.h"\n',
    "front/smb2/front.h": "int f;\n",
}

# name: files on top of GOOD, a word of the expected complaint (None: no complaint)
ROWS = {
    "the good tree": ({}, None),
    "base uses fs": ({"base/x.c": '#include "fs/open.h"\n'}, "may not use"),
    "wire uses crypto": ({"wire/smb2/x.h": '#include "crypto/x.h"\n', "crypto/x.h": ""}, "may not use"),
    "fs uses wire": ({"fs/x.c": '#include "wire/smb2/read.h"\n'}, "may not use"),
    "fs uses a store": ({"fs/x.c": '#include "store/mem/mem.h"\n'}, "may not use"),
    "a test of fs uses the memory store": ({"fs/x_test.c": '#include "store/mem/mem.h"\n'}, None),
    "a store uses another": ({"store/posix/x.c": '#include "store/mem/mem.h"\n'}, "may not use"),
    "a front uses another": ({"front/nfs/x.c": '#include "front/smb2/front.h"\n'}, "may not use"),
    "auth uses wire/smb2": ({"auth/x.c": '#include "wire/smb2/read.h"\n'}, "may not use"),
    "front uses server": ({"front/smb2/x.c": '#include "server/run.h"\n'}, "may not use"),
    "server uses cli": ({"server/x.c": '#include "cli/cli.h"\n', "cli/cli.h": ""}, "may not use"),
    "include by sibling name": ({"fs/x.c": '#include "open.h"\n'}, "from src/"),
    "include upwards": ({"fs/x.c": '#include "../base/cursor.h"\n'}, "from src/"),
    "include of nothing": ({"fs/x.c": '#include "fs/none.h"\n'}, "does not exist"),
    "unknown folder": ({"extras/x.c": "int x;\n"}, "unknown to the law"),
    "util.c": ({"base/util.c": "int x;\n"}, "named by its subject"),
    "strcpy": ({"base/x.c": "void f(char *a) { strcpy(a, a); }\n"}, "banned"),
    "strcpy in a comment": ({"base/x.c": "/* not strcpy(a) */ int x;\n"}, None),
    "strcpy in a string": ({"base/x.c": 'const char *x = "strcpy(a)";\n'}, None),
    "a cast": ({"fs/x.c": "int f(void *b) { return ((struct hdr *)b)->n; }\n"}, "cast to struct"),
    "a const cast": ({"fs/x.c": "int f(void *b) { return ((const struct hdr *)(b))->n; }\n"}, "cast to struct"),
    "a socket address": ({"net/x.c": "int f(void) { return g((struct sockaddr *)&a); }\n"}, None),
    "a store's own handle": ({"store/mem/x.c": "struct store_file *f(void *p) { return (struct store_file *)p; }\n"}, None),
    "an atomic pointer is no cast": ({"net/x.h": "_Atomic(struct task *) inbox;\n"}, None),
    "a store that wraps uses the frame": ({"store/trace/x.c": '#include "store/around/a.h"\n', "store/around/a.h": ""}, None),
    "the posix store does not": ({"store/posix/x.c": '#include "store/around/a.h"\n', "store/around/a.h": ""}, "may not use"),
    "memcmp of a resume key": ({"front/smb2/x.c": "int f(void) { return memcmp(o->resume_key, key, 24); }\n"}, None),
    "a prototype is no cast": ({"fs/x.c": "int f(struct hdr *);\n"}, None),
    "an exception with its reason": ({"fs/x.c": "int *p = (struct h *)b; /* law-ok: ours */\n"}, None),
    "packed": ({"wire/smb2/x.h": "struct s { int a; } __attribute__((packed));\n"}, "packed"),
    "pragma pack": ({"wire/smb2/x.h": "#pragma pack(1)\n"}, "packed"),
    "memcmp of a signature": ({"crypto/x.c": "int f(void) { return memcmp(signature, b, 16); }\n"}, "ct_equal"),
    "bytes_eq of a hash": ({"auth/x.c": "bool f(void) { return bytes_eq(nt_hash, b); }\n"}, "ct_equal"),
    "memcmp of a guid": ({"front/smb2/x.c": "int f(void) { return memcmp(a->guid, b, 16); }\n"}, None),
    "NTSTATUS in fs": ({"fs/x.c": "NTSTATUS f(void);\n"}, "speaks no protocol"),
    "a status code in fs": ({"fs/x.c": "int f(void) { return STATUS_ACCESS_DENIED; }\n"}, "speaks no protocol"),
    "a socket in fs": ({"fs/x.c": "int f(void) { return socket(1, 2, 3); }\n"}, "speaks no protocol"),
    "a citation in fs": ({"fs/x.c": "/* [MS-SMB2] STATUS_X SMB2_Y */ int x;\n"}, None),
    "exit in fs": ({"fs/x.c": "void f(void) { exit(1); }\n"}, "end the process"),
    "a sleep": ({"net/x.c": "void f(void) { usleep(1); }\n"}, "waiting for luck"),
    "a bare TODO": ({"fs/x.c": "/* TODO later */\n"}, "TODO"),
    "a TODO with its reason": ({"fs/x.c": "/* TODO(slow; until the index exists) */\n"}, None),
    "too long": ({"fs/x.c": "int x;\n" * 801}, "second subject"),
    "a codec without a fuzz target": ({"wire/smb2/x.c": "", "wire/smb2/x_test.c": ""}, "without any"),
    "a codec without a test": ({"wire/smb2/x.c": "", "wire/smb2/x_fuzz.c": ""}, "without any"),
    "a codec with both": ({"wire/smb2/x.c": "", "wire/smb2/x_test.c": "", "wire/smb2/x_fuzz.c": ""}, None),
    "fs uses security descriptors": ({"fs/x.c": '#include "wire/security/sd.h"\n', "wire/security/sd.h": ""}, None),
}


class Law(unittest.TestCase):
    pass


def row_test(files, want):
    def run(self):
        root = tempfile.mkdtemp(prefix="law-")
        self.addCleanup(shutil.rmtree, root)
        for rel, text in {**GOOD, **files}.items():
            path = os.path.join(root, "src", rel)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        found, _ = law.check(root)
        if want is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), 1, found)
            self.assertIn(want, found[0])
    return run


for row, (tree, word) in ROWS.items():
    setattr(Law, "test_" + row.replace(" ", "_").replace("/", "_").replace(".", "_"), row_test(tree, word))

if __name__ == "__main__":
    unittest.main()
