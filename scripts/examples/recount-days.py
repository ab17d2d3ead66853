# Recounts each closed day of an audit export on standard input: python3 recount-days.py < audit.jsonl
import collections, hashlib, json, sys

SUMS = "requests,estimated,refused,input,cache_read,cache_write,output,reasoning,cost_microeur,prevented_microeur,upstream_ms,timed,routed_eu,routed_eea_ch,routed_any".split(",")
EU = set("AT,BE,BG,CY,CZ,DE,DK,EE,ES,FI,FR,GR,HR,HU,IE,IT,LT,LU,LV,MT,NL,PL,PT,RO,SE,SI,SK".split(","))
calls, days, repeated, asked, shown = {}, {}, {}, set(), set()

def add(call, ending, **sums):
    names = {**{name: call[name] for name in ("key_id", "model", "use_case")}, "ending": ending}
    key = tuple(name or "" for name in names.values())
    row = days.setdefault(call["day"], {}).setdefault(key, {**names, **dict.fromkeys(SUMS, 0)})
    for name in sums: row[name] += sums[name]

def refuse(call, ending): add(call, ending, requests=1, prevented_microeur=call["prevented"])

def settle(call, c):
    tokens, places = collections.Counter(c["usage"]), set(c.get("places") or ["?"])
    ending, ms = c["ended"], c["upstream_ms"]
    region = "routed_eu" if places <= EU else "routed_eea_ch" if places <= EU.union("IS,LI,NO,CH".split(",")) else "routed_any"
    add({**call, "model": c.get("model", call["model"])}, ending, requests=1, estimated=int(c["estimated"]),
        refused=int(ending == "completed" and c["finish_reason"] in ("content_filter", "refusal")),
        input=tokens["input_uncached"], cache_read=tokens["cache_read"], cache_write=tokens["cache_write"] + tokens["cache_write_hour"],
        output=tokens["output_visible"], reasoning=tokens["reasoning"], cost_microeur=c["cost_microeur"],
        upstream_ms=ms or 0, timed=int(ms is not None), **{region: int("route" in c or ending == "interrupted")})

for line in map(json.loads, sys.stdin):
    kind, c, facts = line.get("kind"), line.get("content", {}), line.get("facts") or {}
    if kind: shown.add(line["index"])
    approval = facts.get("approval_id", c.get("approval_id"))
    waiting = [at for at in calls if approval and calls[at]["approval"] == approval]
    if kind == "chat_decision":
        call = {**c, "day": c["timestamp"][:10], "key_id": facts.get("key_id"), "use_case": facts.get("use_case"),
                "approval": approval, "prevented": round(c["cost_prevented_eur"] * 1e6)}
        if c["outcome"] == "ALLOWED":
            for at in waiting: del calls[at]
            calls[line["index"]] = {**call, "approval": None}
        elif c["outcome"] == "SUPPRESSED" or not approval: refuse(call, c["outcome"].lower())
        else:
            if not waiting: calls[line["index"]] = call
            repeated[approval] = line["index"]
    if c.get("step") == "asked": asked.add(approval)
    if kind == "settlement" and c["settles"] in calls: settle(calls.pop(c["settles"]), c)
    if kind == "approval" and (c["step"] in ("expired", "withdrawn") or c.get("decision") == "deny"):
        for at in waiting: refuse(calls.pop(at), "denied" if "decision" in c else c["step"])
    if c.get("act") == "call.correct_cost":
        add({**c, "day": c["decided_at"][:10]}, "interrupted", estimated=-c["was_estimated"],
            cost_microeur=c["cost_microeur"] - c["before_microeur"])
    if kind == "usage_closed":
        rows = [row for _, row in sorted(days.pop(c["day"], {}).items())]
        others = [days.pop(day) for day in sorted(days) if day < c["day"]]
        text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        same = hashlib.sha256(text.encode()).hexdigest() == c.get("sha256")
        numbers = first, names, _ = [c.get(name) for name in ("first", "use_cases", "requests")]
        is_form, is_sound = c.get("v") == "usage-closed-1", all(type(n) is int and n >= 0 for n in numbers)
        is_all = is_form and is_sound and names < 256 and not others and shown.issuperset(range(first, line["index"])) \
            and not any(repeated[one] >= first for one in repeated.keys() - asked)
        print(c["day"], "malformed" if is_form and not is_sound else "not recounted" if not is_all else "agrees" if same else "differs")
