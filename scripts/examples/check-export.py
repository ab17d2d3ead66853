# Computes the root of an audit export from its leaves: python3 check-export.py < audit.jsonl
import base64, hashlib, json, sys

sha256 = lambda data: hashlib.sha256(data).digest()

def subtrees(start, end):
    while start < end:
        level = 0
        while start % (2 << level) == 0 and start + (2 << level) <= end: level += 1
        yield level, start >> level
        start += 1 << level

def join(roots, level, index, hash):
    while index % 2 and roots and roots[-1][:2] == (level, index - 1):
        hash, level, index = sha256(b"\1" + roots.pop()[2] + hash), level + 1, index // 2
    roots.append((level, index, hash))

leaves, whole, before = [], [], hashlib.sha256()
for line in sys.stdin.buffer:
    told = json.loads(line)
    if told["object"] == "audit_export.head": head = told
    if told["object"] == "audit_export.end": break
    before.update(line)
    if told["object"] == "audit_entry":
        leaf = bytes.fromhex(told["leaf_hash"])
        assert "entry" not in told or sha256(b"\0" + base64.b64decode(told["entry"])) == leaf, told["index"]
        join(leaves, 0, told["index"], leaf)

proof = [bytes.fromhex(hash) for hash in told["range_proof"]]
outside = [*subtrees(0, head["first"])], [*subtrees(head["end_index"], head["tree_head"]["tree_size"])]
assert len(proof) == sum(map(len, outside)), "the proof is of another range"
for level, index in outside[0]: join(whole, level, index, proof.pop(0))
for subtree in leaves: join(whole, *subtree)
for level, index in outside[1]: join(whole, level, index, proof.pop(0))
root = whole.pop()[2]
while whole: root = sha256(b"\1" + whole.pop()[2] + root)
assert root.hex() == head["tree_head"]["root_hash"], "these are not the leaves of that tree"
assert before.hexdigest() == told["sha256"], "the bytes are others"
print("as valid as its head")
