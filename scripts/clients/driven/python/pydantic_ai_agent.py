"""pydantic-ai: what an agent is driven through, whichever API its model speaks."""

import asyncio
from collections.abc import Callable

from driver import (
    AGAIN,
    IMAGE,
    PIXEL_BYTES,
    PLACE,
    PLAIN,
    TOOLS,
    UNKNOWN_MODEL,
    AnyObject,
    Called,
    Place,
    Run,
    drive,
    expect_emulated,
    expect_error,
    nothing,
)
from pydantic_ai import Agent, BinaryContent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.models import Model
from pydantic_ai.providers.openai import OpenAIProvider

Open = Callable[[str, OpenAIProvider], Model]


def agent_for(open_model: Open, run: Run, model: str | None = None, key: str | None = None, **more: object) -> Agent:
    provider = OpenAIProvider(base_url=run.base_url, api_key=key or run.key)
    return Agent(open_model(model or run.model, provider), **more)


def create(open_model: Open, run: Run) -> None:
    answer = agent_for(open_model, run).run_sync(run.prompt(PLAIN))
    expect_emulated(answer.output)
    assert answer.usage.total_tokens > 0


async def read_stream(open_model: Open, run: Run, most: int | None = None) -> str:
    text = ""
    async with agent_for(open_model, run).run_stream(run.prompt(PLAIN)) as answer:
        count = 0
        async for piece in answer.stream_text(delta=True, debounce_by=None):
            text += piece
            count += 1
            if count == most:
                break
    return text


async def call_tools(open_model: Open, run: Run, is_streamed: bool) -> None:
    called = Called()
    agent = agent_for(open_model, run, tools=[called.get_weather, called.get_time])
    history: list = []
    for prompt in (TOOLS, AGAIN):
        if is_streamed:
            async with agent.run_stream(run.prompt(prompt), message_history=history) as answer:
                expect_emulated(await answer.get_output())
                history = answer.all_messages()
        else:
            answer = await agent.run(run.prompt(prompt), message_history=history)
            expect_emulated(answer.output)
            history = answer.all_messages()
    called.expect_all()


def structured(open_model: Open, run: Run, kind: type, shape: type = Place) -> None:
    answer = agent_for(open_model, run, output_type=kind(shape)).run_sync(run.prompt(PLACE))
    assert isinstance(answer.output, shape)


def images(open_model: Open, run: Run) -> None:
    parts = [run.prompt(IMAGE), BinaryContent(PIXEL_BYTES, media_type="image/png")]
    expect_emulated(agent_for(open_model, run).run_sync(parts).output)


def errors(open_model: Open, run: Run) -> list[str]:
    text = run.prompt(PLAIN)
    settings = {"max_tokens": 0}  # a temperature is not sent to every model
    return [
        expect_error(ModelHTTPError, lambda: agent_for(open_model, run, key=run.bad_key).run_sync(text)),
        expect_error(ModelHTTPError, lambda: agent_for(open_model, run, model=UNKNOWN_MODEL).run_sync(text)),
        expect_error(ModelHTTPError, lambda: agent_for(open_model, run).run_sync(text, model_settings=settings)),
    ]


def drive_api(open_model: Open) -> None:
    drive(
        {
            "create": lambda run: create(open_model, run),
            "stream": lambda run: expect_emulated(asyncio.run(read_stream(open_model, run))),
            "tools": lambda run: asyncio.run(call_tools(open_model, run, False)),
            "streamed tools": lambda run: asyncio.run(call_tools(open_model, run, True)),
            "output by tool": lambda run: structured(open_model, run, ToolOutput),
            "output by schema": lambda run: structured(open_model, run, NativeOutput),
            "JSON mode": lambda run: structured(open_model, run, PromptedOutput, AnyObject),
            "images": lambda run: images(open_model, run),
            "errors": lambda run: errors(open_model, run),
            "failing stream": lambda run: nothing(
                expect_error(ModelAPIError, lambda: asyncio.run(read_stream(open_model, run)))
            ),
            "cancellation": lambda run: nothing(asyncio.run(read_stream(open_model, run, 3))),
            "models": "it does not list models",
        }
    )
