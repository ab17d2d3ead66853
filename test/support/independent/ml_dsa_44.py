"""Makes the known answers of ML-DSA-44 cosignatures (test/fixtures/checkpoints/ml-dsa-44.json) with PyPI's cryptography 50.0.2:

    pip install cryptography==50.0.2
    python test/support/independent/ml_dsa_44.py > test/fixtures/checkpoints/ml-dsa-44.json

The signed bytes are put together here from c2sp.org/tlog-cosignature, and by nothing that the service has.
"""

import base64
import hashlib
import json
import struct

from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

ORIGIN = "countersign.example/v1/public/transparency"
SECONDS = 1_763_700_000


def main() -> None:
    root = hashlib.sha256(b"a root of an invented tree").digest()
    text = f"{ORIGIN}\n300\n{base64.b64encode(root).decode()}\n"
    signers = [cosign(name, text, root) for name in (ORIGIN, "witness.example/pq")]
    print(json.dumps({"text": text, "seconds": SECONDS, "signers": signers}, indent=2, ensure_ascii=False))


def cosign(name: str, text: str, root: bytes) -> dict[str, str]:
    seed = hashlib.sha256(f"an ML-DSA-44 key for tests, {name}".encode()).digest()
    key = MLDSA44PrivateKey.from_seed_bytes(seed)
    public = key.public_key().public_bytes_raw()
    key_id = hashlib.sha256(name.encode() + b"\n\x06" + public).digest()[:4]
    message = b"subtree/v1\n\0" + opaque(name) + struct.pack(">Q", SECONDS) + opaque(ORIGIN) + struct.pack(">QQ", 0, 300) + root
    blob = key_id + struct.pack(">Q", SECONDS) + key.sign(message)
    return {
        "name": name,
        "seed": seed.hex(),
        "vkey": f"{name}+{key_id.hex()}+{base64.b64encode(bytes([6]) + public).decode()}",
        "line": f"— {name} {base64.b64encode(blob).decode()}\n",
    }


def opaque(text: str) -> bytes:
    return bytes([len(text.encode())]) + text.encode()


main()
