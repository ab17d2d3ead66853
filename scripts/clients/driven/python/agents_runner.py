"""The OpenAI Agents SDK: what an agent is driven through, whichever API its models speak."""

import asyncio

import openai
from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool
from driver import (
    AGAIN,
    IMAGE,
    PIXEL_URL,
    PLACE,
    PLAIN,
    REFUSED_TEMPERATURE,
    TOOLS,
    UNKNOWN_MODEL,
    Called,
    Place,
    Run,
    drive,
    expect_emulated,
    expect_error,
    nothing,
)
from openai.types.responses import ResponseTextDeltaEvent


# The SDK keeps its connections, which belong to a loop.
LOOP = asyncio.new_event_loop()


def settings(run: Run, uses_responses: bool, key: str | None = None) -> RunConfig:
    """Traces would go to OpenAI."""
    provider = OpenAIProvider(api_key=key or run.key, base_url=run.base_url, use_responses=uses_responses)
    return RunConfig(model_provider=provider, tracing_disabled=True)


def agent_for(run: Run, **more: object) -> Agent:
    return Agent(**{"name": "Guide", "instructions": "Be brief.", "model": run.model, **more})


def ask(run: Run, uses: bool, agent: Agent, text: object, key: str | None = None) -> object:
    return LOOP.run_until_complete(Runner.run(agent, text, run_config=settings(run, uses, key))).final_output


async def read_stream(run: Run, uses: bool, most: int | None = None) -> str:
    text = ""
    count = 0
    answer = Runner.run_streamed(agent_for(run), run.prompt(PLAIN), run_config=settings(run, uses))
    async for event in answer.stream_events():
        if event.type != "raw_response_event" or not isinstance(event.data, ResponseTextDeltaEvent):
            continue
        text += event.data.delta
        count += 1
        if count == most:
            answer.cancel()  # ends the events too
    return text


async def call_tools(run: Run, uses: bool, is_streamed: bool) -> None:
    called = Called()
    agent = agent_for(run, tools=[function_tool(called.get_weather), function_tool(called.get_time)])
    items: list = []
    for prompt in (TOOLS, AGAIN):
        items.append({"role": "user", "content": run.prompt(prompt)})
        if is_streamed:
            answer = Runner.run_streamed(agent, items, run_config=settings(run, uses))
            async for _ in answer.stream_events():
                pass
        else:
            answer = await Runner.run(agent, items, run_config=settings(run, uses))
        expect_emulated(answer.final_output)
        items = answer.to_input_list()
    called.expect_all()


def output_by_schema(run: Run, uses: bool) -> None:
    assert isinstance(ask(run, uses, agent_for(run, output_type=Place), run.prompt(PLACE)), Place)


def images(run: Run, uses: bool) -> None:
    content = [
        {"type": "input_text", "text": run.prompt(IMAGE)},
        {"type": "input_image", "image_url": PIXEL_URL, "detail": "auto"},
    ]
    expect_emulated(ask(run, uses, agent_for(run), [{"role": "user", "content": content}]))


def errors(run: Run, uses: bool) -> list[str]:
    text = run.prompt(PLAIN)
    unknown = agent_for(run, model=UNKNOWN_MODEL)
    wrong = agent_for(run, model_settings=ModelSettings(temperature=REFUSED_TEMPERATURE))
    return [
        expect_error(openai.AuthenticationError, lambda: ask(run, uses, agent_for(run), text, run.bad_key)),
        expect_error(openai.NotFoundError, lambda: ask(run, uses, unknown, text)),
        expect_error(openai.BadRequestError, lambda: ask(run, uses, wrong, text)),
    ]


def drive_api(uses_responses: bool) -> None:
    uses = uses_responses
    drive(
        {
            "create": lambda run: expect_emulated(ask(run, uses, agent_for(run), run.prompt(PLAIN))),
            "stream": lambda run: expect_emulated(LOOP.run_until_complete(read_stream(run, uses))),
            "tools": lambda run: LOOP.run_until_complete(call_tools(run, uses, False)),
            "streamed tools": lambda run: LOOP.run_until_complete(call_tools(run, uses, True)),
            "output by tool": "its typed answers are by schema",
            "output by schema": lambda run: output_by_schema(run, uses),
            "JSON mode": "its typed answers are by schema",
            "images": lambda run: images(run, uses),
            "errors": lambda run: errors(run, uses),
            "failing stream": lambda run: nothing(
                expect_error(openai.APIError, lambda: LOOP.run_until_complete(read_stream(run, uses)))
            ),
            "cancellation": lambda run: nothing(LOOP.run_until_complete(read_stream(run, uses, 3))),
            "models": "it does not list models",
        }
    )
