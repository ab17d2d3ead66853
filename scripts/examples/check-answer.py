# Checks that a stored answer has the hash of its evidence bundle: python3 check-answer.py bundle.json < answer.json
import hashlib, json, sys

def digest(parts):
    text = "".join(part for part in parts if part).encode("utf-16-le", "surrogatepass")
    return hashlib.sha256(text.decode("utf-16-le", "replace").encode()).hexdigest()

settlement, raw, choices = json.load(open(sys.argv[1]))["settlement"], sys.stdin.buffer.read(), {}
answer, salt = settlement["content"]["answer"], bytes.fromhex(settlement["answer_salt"])
assert answer.get("salt_sha256") in (None, hashlib.sha256(salt).hexdigest()), "another salt: get the bundle again"
data = [raw] if raw.lstrip()[:1] == b"{" else [line[5:].strip() for line in raw.split(b"\n") if line.startswith(b"data:")]
pieces = [json.loads(text) for text in data if text != b"[DONE]"]
for choice in (each for piece in pieces for each in piece.get("choices") or []):
    texts = choices.setdefault(choice["index"], {"content": [], "refusal": [], "end": "", "calls": {}})
    message = choice.get("message") or choice.get("delta") or {}
    for name in "content", "refusal": texts[name].append(message.get(name))
    texts["end"] = texts["end"] or choice.get("finish_reason") or ""
    for place, given in enumerate(message.get("tool_calls") or []):
        call = texts["calls"].setdefault(given.get("index", place), {"id": "", "name": "", "arguments": []})
        call["id"], call["name"] = call["id"] or given.get("id") or "", call["name"] or given["function"].get("name") or ""
        call["arguments"].append(given["function"].get("arguments"))
outline = {"model": next((piece["model"] for piece in pieces if piece.get("model")), ""), "choices": [
    {"index": index, "content": digest(one["content"]), "refusal": digest(one["refusal"]), "finish_reason": one["end"],
     "tool_calls": [{**call, "arguments": digest(call["arguments"])} for _, call in sorted(one["calls"].items())]}
    for index, one in sorted(choices.items()) if one["end"] or one["calls"] or any(one["content"] + one["refusal"])]}
text = json.dumps(outline, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
hash = hashlib.sha256(b"countersign-answer-1\0" + salt + text.encode()).hexdigest()
print("the answer that was sent" if hash == answer["sha256"] else "another answer")
