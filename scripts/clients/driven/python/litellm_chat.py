"""litellm, with this service as an OpenAI-compatible endpoint."""

import json
import os

# Its table of prices would be fetched.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from driver import (
    AGAIN,
    ANY_JSON,
    IMAGE,
    PIXEL_URL,
    PLACE,
    PLAIN,
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

litellm.suppress_debug_info = True
litellm.telemetry = False

TOOL_SCHEMAS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
    for name, description in (("get_weather", "The weather in a city"), ("get_time", "The time in a city"))
]


def ask(run: Run, messages: list, **more: object) -> object:
    asked = {"model": f"openai/{run.model}", "api_base": run.base_url, "api_key": run.key, "messages": messages}
    return litellm.completion(**{**asked, **more})


def user(run: Run, text: str) -> dict:
    return {"role": "user", "content": run.prompt(text)}


def create(run: Run) -> None:
    answer = ask(run, [user(run, PLAIN)])
    expect_emulated(answer.choices[0].message.content)
    assert answer.usage.total_tokens > 0


def read_stream(run: Run, most: int | None = None) -> str:
    text = ""
    stream = ask(run, [user(run, PLAIN)], stream=True)
    for count, chunk in enumerate(stream, 1):
        text += chunk.choices[0].delta.content or ""
        if count == most:
            stream.completion_stream.close()
            break
    return text


def call_tools(run: Run, is_streamed: bool) -> None:
    """Messages are sent back as it returns them."""
    called = Called()
    messages: list = []
    for prompt in (TOOLS, AGAIN):
        messages.append(user(run, prompt))
        while True:
            answer = ask(run, messages, tools=TOOL_SCHEMAS, stream=is_streamed)
            if is_streamed:
                answer = litellm.stream_chunk_builder(list(answer), messages=messages)
            message = answer.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                named = {"role": "tool", "tool_call_id": call.id, "name": call.function.name}
                messages.append({**named, "content": called.call(call.function.name, call.function.arguments)})
        expect_emulated(message.content)
    called.expect_all()


def output_by_tool(run: Run) -> None:
    tool = {"type": "function", "function": {"name": "place", "parameters": Place.model_json_schema()}}
    choice = {"type": "function", "function": {"name": "place"}}
    answer = ask(run, [user(run, PLACE)], tools=[tool], tool_choice=choice)
    Place.model_validate_json(answer.choices[0].message.tool_calls[0].function.arguments)


def output_by_schema(run: Run) -> None:
    answer = ask(run, [user(run, PLACE)], response_format=Place)
    Place.model_validate_json(answer.choices[0].message.content)


def json_mode(run: Run) -> None:
    answer = ask(run, [user(run, ANY_JSON)], response_format={"type": "json_object"})
    json.loads(answer.choices[0].message.content)


def images(run: Run) -> None:
    content = [
        {"type": "text", "text": run.prompt(IMAGE)},
        {"type": "image_url", "image_url": {"url": PIXEL_URL}},
    ]
    expect_emulated(ask(run, [{"role": "user", "content": content}]).choices[0].message.content)


def errors(run: Run) -> list[str]:
    messages = [user(run, PLAIN)]
    return [
        expect_error(litellm.AuthenticationError, lambda: ask(run, messages, api_key=run.bad_key)),
        expect_error(litellm.NotFoundError, lambda: ask(run, messages, model=f"openai/{UNKNOWN_MODEL}")),
        expect_error(litellm.BadRequestError, lambda: ask(run, messages, max_tokens=0)),
    ]


if __name__ == "__main__":
    drive(
        {
            "create": create,
            "stream": lambda run: expect_emulated(read_stream(run)),
            "tools": lambda run: call_tools(run, False),
            "streamed tools": lambda run: call_tools(run, True),
            "output by tool": output_by_tool,
            "output by schema": output_by_schema,
            "JSON mode": json_mode,
            "images": images,
            "errors": errors,
            "failing stream": lambda run: nothing(
                expect_error((litellm.exceptions.APIError, litellm.exceptions.MidStreamFallbackError), lambda: read_stream(run))
            ),
            "cancellation": lambda run: nothing(read_stream(run, 3)),
            "models": "it does not list models",
        }
    )
