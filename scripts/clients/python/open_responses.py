"""Seven requests of the kind that Open Responses checks, judged by its published types: open_responses.py. See ../suites.ts."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from client import PIXEL_URL
from openresponses_types import types
from pydantic import BaseModel, ValidationError

TOLD = json.loads(os.environ["SUITE"])
LONGEST_CALL_SECONDS = 30

RIVER_TOOL = {
    "type": "function",
    "name": "look_up_river",
    "description": "How high a river is today",
    "parameters": {
        "type": "object",
        "properties": {"river": {"type": "string", "description": "Its name, such as the Lee"}},
        "required": ["river"],
    },
}


def said(role: str, content: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


PLAIN = {"input": [said("user", "Greet me in a few words.")]}
CALL = {"input": [said("user", "How high is the river Shannon today?")], "tools": [RIVER_TOOL]}
PICTURE = [
    {"type": "input_text", "text": "Describe the picture in a sentence."},
    {"type": "input_image", "image_url": PIXEL_URL},
]

REQUESTS: dict[str, dict[str, Any]] = {
    "basic": PLAIN,
    "streamed": {"input": [said("user", "Name the first five letters.")], "stream": True},
    "system prompt": {"input": [said("system", "You answer like a gardener."), said("user", "Greet me.")]},
    "tool calling": CALL,
    "tool calling streamed": {**CALL, "stream": True},
    "picture": {"input": [said("user", PICTURE)]},
    "multi-turn": {
        "input": [
            said("user", "I am called Brigid."),
            said("assistant", "Good day, Brigid. What can I do for you?"),
            said("user", "What am I called?"),
        ]
    },
}

# What a streamed call must show: the type of an event, and that of its item.
CALL_EVENTS = [
    ("response.output_item.added", "function_call"),
    ("response.function_call_arguments.delta", None),
    ("response.function_call_arguments.done", None),
    ("response.output_item.done", "function_call"),
]
LAST_EVENTS = {"response.completed", "response.incomplete", "response.failed"}


def event_types() -> dict[str, type[BaseModel]]:
    """The published class of each event, by the value of its `type`."""
    found: dict[str, type[BaseModel]] = {}
    for name, kind in vars(types).items():
        if name.endswith("StreamingEvent"):
            own = kind.model_fields["type"].annotation
            assert issubclass(own, StrEnum), name
            found |= {value: kind for value in own}
    return found


EVENTS = event_types()


def send(body: dict[str, Any]) -> str:
    headers = {"authorization": f"Bearer {TOLD['key']}", "content-type": "application/json", **TOLD["headers"]}
    data = json.dumps({"model": TOLD["model"], **body}).encode()
    request = urllib.request.Request(f"{TOLD['base_url']}/responses", data, headers)
    with urllib.request.urlopen(request, timeout=LONGEST_CALL_SECONDS) as answer:
        return answer.read().decode()


def data_of(stream: str) -> list[str]:
    """The data of each event. Fails if an event is not named by its own type, or the stream does not end in [DONE]."""
    events = []
    for frame in stream.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.split("\n"))
        events.append(fields["data"])
        if fields["data"] != "[DONE]":
            assert fields.get("event") == json.loads(fields["data"])["type"], f"a misnamed event: {frame[:80]}"
    return [data for data in events if data != "[DONE]"]


def check(kind: type[BaseModel], text: str, name: str) -> list[str]:
    """What the published type has against this JSON."""
    try:
        kind.model_validate_json(text, strict=True)
    except ValidationError as refused:
        return [f"{name}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in refused.errors()]
    return []


def judge_events(events: list[str], is_call: bool) -> list[str]:
    errors = []
    parsed = [json.loads(event) for event in events]
    for event, text in zip(parsed, events, strict=True):
        kind = EVENTS.get(event["type"])
        errors += [f"{event['type']}: no such event"] if kind is None else check(kind, text, event["type"])
    if [event.get("sequence_number") for event in parsed] != list(range(len(parsed))):
        errors.append("the events are not numbered in turn")
    if [event["type"] in LAST_EVENTS for event in parsed] != [False] * (len(parsed) - 1) + [True]:
        errors.append("the response does not end with its last event")
    shown = {(event["type"], event.get("item", {}).get("type")) for event in parsed}
    return errors + [f"no {name} of {item or 'a call'}" for name, item in CALL_EVENTS if is_call and (name, item) not in shown]


def judge(name: str, body: dict[str, Any]) -> list[str]:
    is_call = "tools" in body
    errors = []
    text = send(body)
    if body.get("stream"):
        events = data_of(text)
        errors += judge_events(events, is_call)
        text = json.dumps(json.loads(events[-1])["response"])
    errors += check(types.ResponseResource, text, "the response")
    response = json.loads(text)
    if response["status"] != "completed":
        errors.append(f"the status is {response['status']}")
    if not response["output"]:
        errors.append("there is no output")
    if is_call and not any(item["type"] == "function_call" for item in response["output"]):
        errors.append("there is no function_call")
    return errors


def outcome(ask: Callable[[], list[str]]) -> list[str]:
    try:
        return ask()
    except urllib.error.HTTPError as refused:
        return [f"{refused.code}: {refused.read().decode()}"]
    except Exception as raised:
        return [f"{type(raised).__name__}: {raised}"]


if __name__ == "__main__":
    judged = {name: outcome(lambda name=name, body=body: judge(name, body)) for name, body in REQUESTS.items()}
    failed = [{"test": name, "why": "; ".join(errors)} for name, errors in judged.items() if errors]
    print(json.dumps({"passed": len(judged) - len(failed), "failed": failed}))
