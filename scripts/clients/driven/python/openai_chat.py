"""openai-python, chat completions."""

import json

import openai
from driver import (
    AGAIN,
    ANY_JSON,
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
)
from pydantic import BaseModel


class GetWeather(BaseModel):
    city: str


class GetTime(BaseModel):
    city: str


def open_client(run: Run, key: str | None = None) -> openai.OpenAI:
    return openai.OpenAI(api_key=key or run.key, base_url=run.base_url)


def user(run: Run, text: str) -> dict:
    return {"role": "user", "content": run.prompt(text)}


def create(run: Run) -> None:
    answer = open_client(run).chat.completions.create(model=run.model, messages=[user(run, PLAIN)])
    expect_emulated(answer.choices[0].message.content)
    assert answer.usage.total_tokens > 0


def read_stream(run: Run, most: int | None = None) -> str:
    text = ""
    with open_client(run).chat.completions.create(
        model=run.model, messages=[user(run, PLAIN)], stream=True, stream_options={"include_usage": True}
    ) as stream:
        for count, chunk in enumerate(stream, 1):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            if count == most:
                break
    return text


def stream(run: Run) -> None:
    expect_emulated(read_stream(run))
    with open_client(run).chat.completions.stream(model=run.model, messages=[user(run, AGAIN)]) as events:
        expect_emulated(events.get_final_completion().choices[0].message.content)


def call_tools(run: Run, is_streamed: bool) -> None:
    """Messages are sent back as the SDK's own helpers return them."""
    called = Called()
    tools = [
        openai.pydantic_function_tool(GetWeather, name="get_weather"),
        openai.pydantic_function_tool(GetTime, name="get_time"),
    ]
    completions = open_client(run).chat.completions
    messages: list = []
    for prompt in (TOOLS, AGAIN):
        messages.append(user(run, prompt))
        while True:
            asked = {"model": run.model, "messages": messages, "tools": tools}
            if is_streamed:
                with completions.stream(**asked) as events:
                    message = events.get_final_completion().choices[0].message
            else:
                message = completions.parse(**asked).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                result = called.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        expect_emulated(message.content)
    called.expect_all()


def output_by_tool(run: Run) -> None:
    answer = open_client(run).chat.completions.parse(
        model=run.model,
        messages=[user(run, PLACE)],
        tools=[openai.pydantic_function_tool(Place)],
        tool_choice={"type": "function", "function": {"name": "Place"}},
    )
    assert isinstance(answer.choices[0].message.tool_calls[0].function.parsed_arguments, Place)


def output_by_schema(run: Run) -> None:
    completions = open_client(run).chat.completions
    messages: list = [user(run, PLACE)]
    first = completions.parse(model=run.model, messages=messages, response_format=Place).choices[0].message
    assert isinstance(first.parsed, Place)
    messages += [first, user(run, AGAIN)]
    with completions.stream(model=run.model, messages=messages, response_format=Place) as events:
        assert isinstance(events.get_final_completion().choices[0].message.parsed, Place)


def json_mode(run: Run) -> None:
    answer = open_client(run).chat.completions.create(
        model=run.model, messages=[user(run, ANY_JSON)], response_format={"type": "json_object"}
    )
    json.loads(answer.choices[0].message.content)


def images(run: Run) -> None:
    content = [
        {"type": "text", "text": run.prompt(IMAGE)},
        {"type": "image_url", "image_url": {"url": PIXEL_URL}},
    ]
    answer = open_client(run).chat.completions.create(model=run.model, messages=[{"role": "user", "content": content}])
    expect_emulated(answer.choices[0].message.content)


def errors(run: Run) -> list[str]:
    messages = [user(run, PLAIN)]
    ask = open_client(run).chat.completions.create
    stranger = open_client(run, run.bad_key).chat.completions.create
    return [
        expect_error(openai.AuthenticationError, lambda: stranger(model=run.model, messages=messages)),
        expect_error(openai.NotFoundError, lambda: ask(model=UNKNOWN_MODEL, messages=messages)),
        expect_error(
            openai.BadRequestError,
            lambda: ask(model=run.model, messages=messages, temperature=REFUSED_TEMPERATURE),
        ),
    ]


def failing_stream(run: Run) -> None:
    expect_error(openai.APIError, lambda: read_stream(run))


def cancellation(run: Run) -> None:
    read_stream(run, 3)


def models(run: Run) -> None:
    client = open_client(run)
    assert run.model in [model.id for model in client.models.list()]
    assert client.models.retrieve(run.model).id == run.model


if __name__ == "__main__":
    drive(
        {
            "create": create,
            "stream": stream,
            "tools": lambda run: call_tools(run, False),
            "streamed tools": lambda run: call_tools(run, True),
            "output by tool": output_by_tool,
            "output by schema": output_by_schema,
            "JSON mode": json_mode,
            "images": images,
            "errors": errors,
            "failing stream": failing_stream,
            "cancellation": cancellation,
            "models": models,
        }
    )
