"""instructor over openai-python: typed answers, in each of its ways."""

import instructor
import openai
from driver import (
    ANY_JSON,
    IMAGE,
    PIXEL_URL,
    PLACE,
    PLAIN,
    REFUSED_TEMPERATURE,
    UNKNOWN_MODEL,
    AnyObject,
    Place,
    Run,
    drive,
    expect_emulated,
    expect_error,
    nothing,
)
from instructor import Image, Mode

NO_TOOLS = "it runs no tools"
NO_MODELS = "it does not list models"


def open_client(run: Run, mode: Mode = Mode.TOOLS, key: str | None = None) -> instructor.Instructor:
    return instructor.from_openai(openai.OpenAI(api_key=key or run.key, base_url=run.base_url), mode=mode)


def user(run: Run, text: str) -> dict:
    return {"role": "user", "content": run.prompt(text)}


def create(run: Run) -> None:
    answer = open_client(run).create(response_model=None, model=run.model, messages=[user(run, PLAIN)])
    expect_emulated(answer.choices[0].message.content)


def read_stream(run: Run, most: int | None = None) -> str:
    text = ""
    stream = open_client(run).create(response_model=None, model=run.model, messages=[user(run, PLAIN)], stream=True)
    for count, chunk in enumerate(stream, 1):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        if count == most:
            stream.close()
            break
    return text


def stream(run: Run) -> None:
    """Text, and a typed answer that grows."""
    expect_emulated(read_stream(run))
    partial = None
    for partial in open_client(run).create_partial(
        response_model=Place, model=run.model, messages=[user(run, PLACE)]
    ):
        pass
    Place.model_validate(partial.model_dump())


def structured(run: Run, mode: Mode, text: str, shape: type = Place) -> None:
    answer = open_client(run, mode).create(response_model=shape, model=run.model, messages=[user(run, text)])
    assert isinstance(answer, shape)


def images(run: Run) -> None:
    content = [run.prompt(IMAGE), Image.from_base64(PIXEL_URL)]
    answer = open_client(run).create(
        response_model=Place, model=run.model, messages=[{"role": "user", "content": content}]
    )
    assert isinstance(answer, Place)


def errors(run: Run) -> list[str]:
    def ask(key: str, **more: object) -> None:
        asked = {"model": run.model, "messages": [user(run, PLAIN)], **more}
        open_client(run, key=key).create(response_model=Place, **asked)

    return [
        expect_error(instructor.core.exceptions.InstructorError, lambda: ask(run.bad_key)),
        expect_error(instructor.core.exceptions.InstructorError, lambda: ask(run.key, model=UNKNOWN_MODEL)),
        expect_error(
            instructor.core.exceptions.InstructorError, lambda: ask(run.key, temperature=REFUSED_TEMPERATURE)
        ),
    ]


if __name__ == "__main__":
    drive(
        {
            "create": create,
            "stream": stream,
            "tools": NO_TOOLS,
            "streamed tools": NO_TOOLS,
            "output by tool": lambda run: structured(run, Mode.TOOLS, PLACE),
            "output by schema": lambda run: structured(run, Mode.JSON_SCHEMA, PLACE),
            "JSON mode": lambda run: structured(run, Mode.JSON, ANY_JSON, AnyObject),
            "images": images,
            "errors": errors,
            "failing stream": lambda run: nothing(expect_error(openai.APIError, lambda: read_stream(run))),
            "cancellation": lambda run: nothing(read_stream(run, 3)),
            "models": NO_MODELS,
        }
    )
