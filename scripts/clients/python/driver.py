"""Drives a Python client through every feature on every model, and reports each run: driver.py MODULE API. See ../drive-python.ts."""

import gc
import importlib
import json
import os
import re
import signal
import sys
import traceback
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from client import AGAIN, IMAGE, PLAIN, REFUSED_TEMPERATURE, TOOLS, UNKNOWN_MODEL, Called, Client, Place, Run

LONGEST_RUN_SECONDS = 30
# The whole answer, so that a stream that lost its end does not pass.
EMULATED = re.compile(r"Countersign emulator, not a model\. You sent \d+ messages?, \d+ characters?\.")


def items(generator: Any, most: int | None = None) -> list[Any]:
    """The items of a generator. After `most` of them it is closed, as a caller's loop would leave it."""
    found = []
    for item in generator:
        found.append(item)
        if len(found) == most:
            break
    generator.close()
    gc.collect()
    return found


def expect_emulated(text: Any) -> None:
    assert EMULATED.search(str(text)), f"the answer is not the emulator's: {text}"


def expect_places(values: list[Any]) -> None:
    assert values, "no typed answer"
    for value in values:
        assert isinstance(value, Place), value


def expect_error(kind: type[BaseException], ask: Callable[[], Any]) -> str:
    """Returns the text of what was raised."""
    try:
        ask()
    except kind as raised:
        return str(raised)
    raise AssertionError("no error was raised")


def create(client: Client, run: Run) -> None:
    text, has_usage = client.ask(run, run.prompt(PLAIN))
    expect_emulated(text)
    assert has_usage, "no usage"


def stream(client: Client, run: Run) -> None:
    expect_emulated("".join(items(client.stream(run))))
    expect_emulated(client.stream_whole(run))


def call_tools(client: Client, run: Run, is_streamed: bool) -> None:
    called = Called()
    for text in items(client.converse(run, [run.prompt(TOOLS), run.prompt(AGAIN)], called, is_streamed)):
        expect_emulated(text)
    called.expect_all()


def any_json(client: Client, run: Run) -> None:
    value = client.any_json(run)
    assert not isinstance(value, str) or isinstance(json.loads(value), dict)


def errors(client: Client, run: Run) -> list[str]:
    def ask(other: Run, **setting: Any) -> None:
        client.ask(other, run.prompt(PLAIN), **setting)

    return [
        expect_error(client.key_error, lambda: ask(replace(run, key=BAD_KEY))),
        expect_error(client.model_error, lambda: ask(replace(run, model=UNKNOWN_MODEL))),
        expect_error(client.setting_error, lambda: ask(run, temperature=REFUSED_TEMPERATURE)),
    ]


def failing_stream(client: Client, run: Run) -> None:
    expect_error(client.stream_error, lambda: items(client.stream(run)))


def cancellation(client: Client, run: Run) -> None:
    items(client.stream(run), 3)


def models(client: Client, run: Run) -> None:
    ids, read = client.models(run)
    assert run.model in ids and read == run.model, (ids, read)


FEATURES: dict[str, Callable[[Client, Run], list[str] | None]] = {
    "create": create,
    "stream": stream,
    "tools": lambda client, run: call_tools(client, run, False),
    "streamed tools": lambda client, run: call_tools(client, run, True),
    "output by tool": lambda client, run: expect_places(client.by_tool(run)),
    "output by schema": lambda client, run: expect_places(client.by_schema(run)),
    "JSON mode": any_json,
    "images": lambda client, run: expect_emulated(client.see(run, run.prompt(IMAGE))),
    "errors": errors,
    "failing stream": failing_stream,
    "cancellation": cancellation,
    "models": models,
}

TOLD = json.loads(os.environ["DRIVEN"])
BAD_KEY = TOLD["bad_key"]


def planned(feature: str, model: str) -> Run:
    name = "/".join(urllib.parse.quote(part, safe="") for part in (TOLD["client"], feature, model))
    return Run(feature, model, f"{TOLD['proxy']}/{name}/v1", TOLD["key"], TOLD["client"])


def outcome(client: Client, run: Run) -> dict[str, Any]:
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(LONGEST_RUN_SECONDS)
    try:
        return {"problem": None, "told": FEATURES[run.feature](client, run) or []}
    except Exception as raised:
        if os.environ.get("DRIVEN_TRACES"):
            traceback.print_exc(file=sys.stderr)
        return {"problem": f"{type(raised).__name__}: {raised}", "told": []}
    finally:
        signal.alarm(0)


def too_late(*_: Any) -> None:
    raise TimeoutError("the client did not end")


def report(body: dict[str, Any]) -> None:
    request = urllib.request.Request(TOLD["report"], json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        answer.read()


def main(module: str, api: str) -> None:
    client: Client = importlib.import_module(module).open_client(api)
    for feature in TOLD["features"]:
        for model in TOLD["models"]:
            report({"feature": feature, "model": model, **outcome(client, planned(feature, model))})


if __name__ == "__main__":
    main(*sys.argv[1:])
