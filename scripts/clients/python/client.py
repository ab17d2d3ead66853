"""The interface through which a Python client is driven (driver.py), and the texts and tools that all are driven with."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

UNKNOWN_MODEL = "no-such-model"
REFUSED_TEMPERATURE = 5  # out of every model's range

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


class Street(BaseModel):
    name: str
    is_long: bool


class Place(BaseModel):
    """A choice, a list, something nested and something that may be missing."""

    name: str = Field(description="What people call it")
    country: Literal["Ireland", "Portugal"]
    population: int | None
    streets: list[Street]


@dataclass
class Run:
    feature: str
    model: str
    base_url: str  # ends in /v1, and is another one for every run
    key: str
    client: str

    def prompt(self, text: str) -> str:
        """Different from every other run's, because the same request sent often looks like a loop."""
        return f"{text} ({self.client}, {self.feature})"

    def user(self, text: str) -> dict:
        return {"role": "user", "content": self.prompt(text)}


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

    def call(self, name: str, arguments: dict) -> str:
        return (self.get_weather if name == "get_weather" else self.get_time)(**arguments)

    def expect_all(self) -> None:
        """Both at once, then one in the next turn, each for the emulator's city."""
        assert sorted(self.names[:2]) + self.names[2:] == ["get_time", "get_weather", "get_time"], self.names
        assert self.cities == {"emulator"}, self.cities


class Client:
    key_error: type[BaseException]
    model_error: type[BaseException]
    setting_error: type[BaseException]
    stream_error: type[BaseException]

    def ask(self, run: Run, text: str, **setting: Any) -> tuple[Any, bool]:
        """A whole answer, and whether usage came with it."""
        raise NotImplementedError

    def stream(self, run: Run) -> Iterable[str]:
        """The pieces of an answer. Closing the generator leaves the stream."""
        raise NotImplementedError

    def stream_whole(self, run: Run) -> str:
        """A stream put together by the client's own helpers."""
        raise NotImplementedError

    def converse(self, run: Run, prompts: list[str], called: Called, is_streamed: bool) -> Iterable[Any]:
        """The answer to each prompt, with all that came before sent back."""
        raise NotImplementedError

    def by_tool(self, run: Run) -> list[Any]:
        """Places."""
        raise NotImplementedError

    def by_schema(self, run: Run) -> list[Any]:
        """Places."""
        raise NotImplementedError

    def any_json(self, run: Run) -> Any:
        """A JSON text, or an object."""
        raise NotImplementedError

    def see(self, run: Run, text: str) -> str | None:
        """The answer about a picture."""
        raise NotImplementedError

    def models(self, run: Run) -> tuple[list[str], str]:
        """The ids of all models, and of this one when it is read alone."""
        raise NotImplementedError
