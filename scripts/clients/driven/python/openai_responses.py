"""openai-python, the Responses API, stateless: what came out is sent back as input."""

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
    nothing,
)
from openai_chat import GetTime, GetWeather, models, open_client


def create(run: Run) -> None:
    answer = open_client(run).responses.create(model=run.model, input=run.prompt(PLAIN), instructions="Be brief.")
    expect_emulated(answer.output_text)
    assert answer.usage.total_tokens > 0


def read_stream(run: Run, most: int | None = None) -> str:
    text = ""
    count = 0
    with open_client(run).responses.create(model=run.model, input=run.prompt(PLAIN), stream=True) as stream:
        for event in stream:
            if event.type != "response.output_text.delta":
                continue
            text += event.delta
            count += 1
            if count == most:
                break
    return text


def stream(run: Run) -> None:
    expect_emulated(read_stream(run))
    with open_client(run).responses.stream(model=run.model, input=run.prompt(AGAIN)) as events:
        expect_emulated(events.get_final_response().output_text)


def call_tools(run: Run, is_streamed: bool) -> None:
    called = Called()
    tools = [
        openai.pydantic_function_tool(GetWeather, name="get_weather"),
        openai.pydantic_function_tool(GetTime, name="get_time"),
    ]
    tools = [{"type": "function", **tool["function"]} for tool in tools]
    responses = open_client(run).responses
    items: list = []
    for prompt in (TOOLS, AGAIN):
        items.append({"role": "user", "content": run.prompt(prompt)})
        while True:
            asked = {"model": run.model, "input": items, "tools": tools, "store": False}
            if is_streamed:
                with responses.stream(**asked) as events:
                    answer = events.get_final_response()
            else:
                answer = responses.create(**asked)
            items += answer.output
            calls = [item for item in answer.output if item.type == "function_call"]
            for call in calls:
                result = called.call(call.name, call.arguments)
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
            if not calls:
                break
        expect_emulated(answer.output_text)
    called.expect_all()


def output_by_tool(run: Run) -> None:
    tool = openai.pydantic_function_tool(Place)
    answer = open_client(run).responses.parse(
        model=run.model,
        input=run.prompt(PLACE),
        tools=[{"type": "function", **tool["function"]}],
        tool_choice={"type": "function", "name": "Place"},
    )
    call = next(item for item in answer.output if item.type == "function_call")
    Place.model_validate_json(call.arguments)


def output_by_schema(run: Run) -> None:
    responses = open_client(run).responses
    first = responses.parse(model=run.model, input=run.prompt(PLACE), text_format=Place)
    assert isinstance(first.output_parsed, Place)
    with responses.stream(model=run.model, input=run.prompt(ANY_JSON), text_format=Place) as events:
        assert isinstance(events.get_final_response().output_parsed, Place)


def json_mode(run: Run) -> None:
    answer = open_client(run).responses.create(
        model=run.model, input=run.prompt(ANY_JSON), text={"format": {"type": "json_object"}}
    )
    json.loads(answer.output_text)


def images(run: Run) -> None:
    content = [
        {"type": "input_text", "text": run.prompt(IMAGE)},
        {"type": "input_image", "image_url": PIXEL_URL},
    ]
    answer = open_client(run).responses.create(model=run.model, input=[{"role": "user", "content": content}])
    expect_emulated(answer.output_text)


def errors(run: Run) -> list[str]:
    text = run.prompt(PLAIN)
    ask = open_client(run).responses.create
    stranger = open_client(run, run.bad_key).responses.create
    return [
        expect_error(openai.AuthenticationError, lambda: stranger(model=run.model, input=text)),
        expect_error(openai.NotFoundError, lambda: ask(model=UNKNOWN_MODEL, input=text)),
        expect_error(
            openai.BadRequestError, lambda: ask(model=run.model, input=text, temperature=REFUSED_TEMPERATURE)
        ),
    ]


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
            "failing stream": lambda run: nothing(expect_error(openai.APIError, lambda: read_stream(run))),
            "cancellation": lambda run: nothing(read_stream(run, 3)),
            "models": models,
        }
    )
