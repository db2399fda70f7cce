"""Trees of files to copy: made from a seed, so that nothing has to be kept, and compared by content."""
import hashlib
import os
import random

BIG_BYTES = 329_000_000
TREE_FILES, TREE_DIRS, TREE_BYTES = 3554, 250, 802_000_000
KINDS = ("docx", "xlsx", "pdf", "jpg", "txt", "c", "pptx", "eml")
# what a copy has to get right in names: spaces, umlauts, other planes, long, both cases, dots
ODD_NAMES = ("plain", "with space", "Grüße", "日本語", "emoji \U0001F600", "a.b.c", "UPPER lower", "x" * 200, "it's", "100%", "#1 & [2]")


def write_file(path, size, r):
    block = r.randbytes(min(size, 1 << 20) or 1)
    with open(path, "wb") as f:
        while size > 0:
            piece = block[:size]
            f.write(piece)
            size -= len(piece)
            block = block[1:] + block[:1]


def make_tree(root, files=60, dirs=8, total=3_000_000, seed=7, odd_names=True):
    """Log-normal sizes as in offices; some empty files, an empty directory and names of all kinds."""
    r = random.Random(seed)
    folders = [""]
    while len(folders) <= dirs:
        parent = r.choice(folders)
        if parent.count("/") < 5:
            folders.append(os.path.join(parent, "%s %03d" % (r.choice(("Project", "Reports", "src", "Mail")), len(folders))))
    for d in folders:
        os.makedirs(os.path.join(root, d), exist_ok=True)
    raw = [min(r.lognormvariate(10.3, 1.9), 4e7) for _ in range(files)]
    scale = total / sum(raw)
    for i, size in enumerate(raw):
        name = "%s-%05d.%s" % (r.choice(("Offer", "Minutes", "IMG", "main")), i, r.choice(KINDS))
        write_file(os.path.join(root, folders[1 + i % dirs], name), 0 if i % 20 == 19 else int(size * scale), r)
    os.makedirs(os.path.join(root, "empty"), exist_ok=True)
    for n in ODD_NAMES if odd_names else ():
        write_file(os.path.join(root, n), r.randrange(1, 5000), r)


def digest_file(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while piece := f.read(1 << 20):
            h.update(piece)
    return h.hexdigest()


def digest(root):
    """{relative path: sha256, or "/" for a directory}"""
    out = {}
    for d, dirs, names in os.walk(root):
        for n in dirs:
            out[os.path.relpath(os.path.join(d, n), root)] = "/"
        for n in names:
            p = os.path.join(d, n)
            out[os.path.relpath(p, root)] = digest_file(p)
    return out
