"""LlamaIndex: what its two OpenAI classes are both driven through."""

import gc
import json
from collections.abc import Callable

import openai
from driver import (
    AGAIN,
    ANY_JSON,
    IMAGE,
    PIXEL_BYTES,
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
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI

Open = Callable[..., OpenAI]


def user(run: Run, text: str) -> ChatMessage:
    return ChatMessage(role="user", content=run.prompt(text))


def create(open_llm: Open, run: Run) -> None:
    expect_emulated(open_llm(run).chat([user(run, PLAIN)]).message.content)


def read_stream(open_llm: Open, run: Run, most: int | None = None) -> str:
    text = ""
    stream = open_llm(run).stream_chat([user(run, PLAIN)])
    for count, piece in enumerate(stream, 1):
        text += piece.delta or ""
        if count == most:
            break
    del stream, piece
    gc.collect()  # it has no other way to leave a stream
    return text


def call_tools(open_llm: Open, run: Run, is_streamed: bool) -> None:
    called = Called()
    tools = [FunctionTool.from_defaults(called.get_weather), FunctionTool.from_defaults(called.get_time)]
    llm = open_llm(run)
    messages: list[ChatMessage] = []
    for prompt in (TOOLS, AGAIN):
        messages.append(user(run, prompt))
        while True:
            asked = {"chat_history": messages, "allow_parallel_tool_calls": True}
            if is_streamed:
                answer = list(llm.stream_chat_with_tools(tools, **asked))[-1]
            else:
                answer = llm.chat_with_tools(tools, **asked)
            messages.append(answer.message)
            calls = llm.get_tool_calls_from_response(answer, error_on_no_tool_call=False)
            if not calls:
                break
            for call in calls:
                named = {"tool_call_id": call.tool_id, "name": call.tool_name}
                result = called.call(call.tool_name, json.dumps(call.tool_kwargs))
                messages.append(ChatMessage(role="tool", content=result, additional_kwargs=named))
        expect_emulated(answer.message.content)
    called.expect_all()


def structured(open_llm: Open, run: Run, **how: object) -> None:
    answer = open_llm(run, **how).structured_predict(Place, PromptTemplate(run.prompt(PLACE)))
    assert isinstance(answer, Place)


def json_mode(open_llm: Open, run: Run) -> None:
    answer = open_llm(run).chat([user(run, ANY_JSON)], response_format={"type": "json_object"})
    json.loads(answer.message.content)


def images(open_llm: Open, run: Run) -> None:
    blocks = [TextBlock(text=run.prompt(IMAGE)), ImageBlock(image=PIXEL_BYTES, image_mimetype="image/png")]
    expect_emulated(open_llm(run).chat([ChatMessage(role="user", blocks=blocks)]).message.content)


def errors(open_llm: Open, run: Run) -> list[str]:
    messages = [user(run, PLAIN)]
    return [
        expect_error(openai.AuthenticationError, lambda: open_llm(run, api_key=run.bad_key).chat(messages)),
        expect_error(openai.NotFoundError, lambda: open_llm(run, model=UNKNOWN_MODEL).chat(messages)),
        expect_error(
            openai.BadRequestError, lambda: open_llm(run).chat(messages, temperature=REFUSED_TEMPERATURE)
        ),
    ]


def drive_class(open_llm: Open, by_tool: dict, by_schema: dict) -> None:
    drive(
        {
            "create": lambda run: create(open_llm, run),
            "stream": lambda run: expect_emulated(read_stream(open_llm, run)),
            "tools": lambda run: call_tools(open_llm, run, False),
            "streamed tools": lambda run: call_tools(open_llm, run, True),
            "output by tool": lambda run: structured(open_llm, run, **by_tool),
            "output by schema": lambda run: structured(open_llm, run, **by_schema),
            "JSON mode": lambda run: json_mode(open_llm, run),
            "images": lambda run: images(open_llm, run),
            "errors": lambda run: errors(open_llm, run),
            "failing stream": lambda run: nothing(
                expect_error(openai.APIError, lambda: read_stream(open_llm, run))
            ),
            "cancellation": lambda run: nothing(read_stream(open_llm, run, 3)),
            "models": "it does not list models",
        }
    )
