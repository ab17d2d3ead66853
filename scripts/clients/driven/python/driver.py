"""Drives one Python client through every feature on every model, and reports each run. See ../drive-python.ts."""

import base64
import json
import os
import re
import signal
import sys
import traceback
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Callable, Literal

from pydantic import BaseModel, Field

LONGEST_RUN_SECONDS = 30
UNKNOWN_MODEL = "no-such-model"
REFUSED_TEMPERATURE = 5  # out of every model's range
# Its whole answer, so that a stream that lost its end does not pass.
EMULATED = re.compile(r"Countersign emulator, not a model\. You sent \d+ messages, \d+ characters\.")

PLAIN = "Say good day."
TOOLS = "Use get_weather and get_time."
AGAIN = "Use get_time once more."
PLACE = "Name a place."
ANY_JSON = "Name a place, as a JSON object."
IMAGE = "What is in this picture?"

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
PIXEL_URL = f"data:image/png;base64,{PIXEL}"
PIXEL_BYTES = base64.b64decode(PIXEL)


class Street(BaseModel):
    name: str
    is_long: bool


class Place(BaseModel):
    """A choice, a list, something nested and something that may be missing."""

    name: str = Field(description="What people call it")
    country: Literal["Ireland", "Portugal"]
    population: int | None
    streets: list[Street]


class CannotError(Exception):
    """The client has no such thing for this model; the text says why."""


class AnyObject(BaseModel):
    """What the emulator answers where any JSON object is asked for."""

    emulator: str


@dataclass
class Run:
    feature: str
    model: str
    base_url: str  # ends in /v1
    key: str
    bad_key: str
    client: str
    folder: str

    def prompt(self, text: str) -> str:
        """Different from every other run's: the same request sent often looks like a loop."""
        return f"{text} ({self.client}, {self.feature})"


class Called:
    """The tools, and which of them were called, with what."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.cities: set[str] = set()

    def get_weather(self, city: str) -> str:
        """The weather in a city."""
        self.names.append("get_weather")
        self.cities.add(city)
        return "Rain."

    def get_time(self, city: str) -> str:
        """The time in a city."""
        self.names.append("get_time")
        self.cities.add(city)
        return "Noon."

    def call(self, name: str, arguments: str) -> str:
        """`arguments` as JSON."""
        return (self.get_weather if name == "get_weather" else self.get_time)(**json.loads(arguments))

    def expect_all(self) -> None:
        """Both at once, then one in the next turn, each for the emulator's city."""
        assert sorted(self.names[:2]) + self.names[2:] == ["get_time", "get_weather", "get_time"], self.names
        assert self.cities == {"emulator"}, self.cities


def expect_emulated(text: Any) -> None:
    assert EMULATED.search(str(text)), f"the answer is not the emulator's: {text}"


def expect_error(kind: type[BaseException] | tuple[type[BaseException], ...], ask: Callable[[], Any]) -> str:
    """What was raised, as text."""
    try:
        ask()
    except kind as raised:
        return str(raised)
    raise AssertionError("no error was raised")


def nothing(_: Any) -> None:
    """For a run of which no message is to be reported."""


Drive = Callable[[Run], list[str] | None]


def drive(features: dict[str, Drive | str], before: Callable[[list[Run]], None] = nothing) -> None:
    """`features`: a function for each feature, or why the client has no such thing. `before` is told of all runs."""
    told = json.loads(os.environ["DRIVEN"])
    runs = [planned(told, feature, model) for feature in told["features"] for model in told["models"]]
    before(runs)
    for run in runs:
        found = outcome(features[run.feature], run)
        report(told["report"], {"feature": run.feature, "model": run.model, **found})


def planned(told: dict[str, Any], feature: str, model: str) -> Run:
    name = "/".join(urllib.parse.quote(part, safe="") for part in (told["client"], feature, model))
    return Run(
        feature=feature,
        model=model,
        base_url=f"{told['proxy']}/{name}/v1",
        key=told["key"],
        bad_key=told["bad_key"],
        client=told["client"],
        folder=told["folder"],
    )


def outcome(how: Drive | str, run: Run) -> dict[str, Any]:
    if isinstance(how, str):
        return {"problem": None, "told": [], "cannot": how}
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(LONGEST_RUN_SECONDS)
    try:
        return {"problem": None, "told": how(run) or [], "cannot": None}
    except CannotError as raised:
        return {"problem": None, "told": [], "cannot": str(raised)}
    except Exception as raised:
        if os.environ.get("DRIVEN_TRACES"):
            traceback.print_exc(file=sys.stderr)
        return {"problem": f"{type(raised).__name__}: {raised}", "told": [], "cannot": None}
    finally:
        signal.alarm(0)


def too_late(*_: Any) -> None:
    raise TimeoutError("the client did not end")


def report(url: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        answer.read()
