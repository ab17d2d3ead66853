"""LangChain in Python: ChatOpenAI with its defaults."""

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
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


def open_model(run: Run, **more: object) -> ChatOpenAI:
    return ChatOpenAI(**{"model": run.model, "api_key": run.key, "base_url": run.base_url, "max_retries": 0, **more})


def create(run: Run) -> None:
    answer = open_model(run).invoke(run.prompt(PLAIN))
    expect_emulated(answer.text)
    assert answer.usage_metadata["total_tokens"] > 0


def read_stream(run: Run, most: int | None = None) -> str:
    text = ""
    stream = open_model(run).stream(run.prompt(PLAIN))
    for count, chunk in enumerate(stream, 1):
        text += chunk.text
        if count == most:
            stream.close()
            break
    return text


def call_tools(run: Run, is_streamed: bool) -> None:
    called = Called()
    tools = {named.__name__: tool(named) for named in (called.get_weather, called.get_time)}
    model = open_model(run).bind_tools(list(tools.values()))
    messages: list = []
    for prompt in (TOOLS, AGAIN):
        messages.append(HumanMessage(run.prompt(prompt)))
        while True:
            if is_streamed:
                chunks = list(model.stream(messages))
                answer = chunks[0]
                for chunk in chunks[1:]:
                    answer += chunk
            else:
                answer = model.invoke(messages)
            messages.append(answer)
            if not answer.tool_calls:
                break
            messages += [tools[call["name"]].invoke(call) for call in answer.tool_calls]
        expect_emulated(answer.text)
    called.expect_all()


def structured(run: Run, method: str) -> None:
    assert isinstance(open_model(run).with_structured_output(Place, method=method).invoke(run.prompt(PLACE)), Place)


def json_mode(run: Run) -> None:
    answer = open_model(run).with_structured_output(None, method="json_mode").invoke(run.prompt(ANY_JSON))
    assert isinstance(answer, dict)


def images(run: Run) -> None:
    content = [
        {"type": "text", "text": run.prompt(IMAGE)},
        {"type": "image_url", "image_url": {"url": PIXEL_URL}},
    ]
    expect_emulated(open_model(run).invoke([HumanMessage(content)]).text)


def errors(run: Run) -> list[str]:
    text = run.prompt(PLAIN)
    return [
        expect_error(openai.AuthenticationError, lambda: open_model(run, api_key=run.bad_key).invoke(text)),
        expect_error(openai.NotFoundError, lambda: open_model(run, model=UNKNOWN_MODEL).invoke(text)),
        expect_error(
            openai.BadRequestError, lambda: open_model(run, top_p=REFUSED_TEMPERATURE).invoke(text)
        ),
    ]


if __name__ == "__main__":
    drive(
        {
            "create": create,
            "stream": lambda run: expect_emulated(read_stream(run)),
            "tools": lambda run: call_tools(run, False),
            "streamed tools": lambda run: call_tools(run, True),
            "output by tool": lambda run: structured(run, "function_calling"),
            "output by schema": lambda run: structured(run, "json_schema"),
            "JSON mode": json_mode,
            "images": images,
            "errors": errors,
            "failing stream": lambda run: nothing(expect_error(openai.APIError, lambda: read_stream(run))),
            "cancellation": lambda run: nothing(read_stream(run, 3)),
            "models": "it does not list models",
        }
    )
