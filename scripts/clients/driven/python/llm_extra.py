"""llm, with this service among its extra OpenAI models: what they are driven through, whichever API they speak."""

import json
import os
import pathlib

from driver import (
    AGAIN,
    ANY_JSON,
    IMAGE,
    PIXEL_BYTES,
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

SETTINGS = pathlib.Path(json.loads(os.environ["DRIVEN"])["folder"])
os.environ["LLM_USER_PATH"] = str(SETTINGS)

import llm
import openai


def write_models(runs: list[Run], uses_responses: bool) -> None:
    """As its documentation says. An address belongs to a model, so there is a model for each run."""
    models = [
        {
            "model_id": f"{run.feature}/{run.model}/{name}",
            "model_name": name,
            "api_base": run.base_url,
            "api_key_name": "countersign",
            "supports_schema": True,
            "supports_tools": True,
            "vision": True,
            "responses": uses_responses,
        }
        for run in runs
        for name in (run.model, UNKNOWN_MODEL)
    ]
    (SETTINGS / "extra-openai-models.yaml").write_text(json.dumps(models))


def open_model(run: Run, name: str | None = None) -> llm.Model:
    return llm.get_model(f"{run.feature}/{run.model}/{name or run.model}")


def create(run: Run) -> None:
    expect_emulated(open_model(run).prompt(run.prompt(PLAIN), stream=False, key=run.key).text())


def read_stream(run: Run) -> str:
    return "".join(open_model(run).prompt(run.prompt(PLAIN), stream=True, key=run.key))


def call_tools(run: Run, is_streamed: bool) -> None:
    called = Called()
    conversation = open_model(run).conversation(tools=[called.get_weather, called.get_time])
    for prompt in (TOOLS, AGAIN):
        expect_emulated(conversation.chain(run.prompt(prompt), stream=is_streamed, key=run.key).text())
    called.expect_all()


def output_by_schema(run: Run) -> None:
    answer = open_model(run).prompt(run.prompt(PLACE), schema=Place, stream=False, key=run.key)
    Place.model_validate_json(answer.text())


def json_mode(run: Run) -> None:
    answer = open_model(run).prompt(run.prompt(ANY_JSON), json_object=True, stream=False, key=run.key)
    json.loads(answer.text())


def images(run: Run) -> None:
    attached = [llm.Attachment(type="image/png", content=PIXEL_BYTES)]
    answer = open_model(run).prompt(run.prompt(IMAGE), attachments=attached, stream=False, key=run.key)
    expect_emulated(answer.text())


def errors(run: Run) -> list[str]:
    text = run.prompt(PLAIN)

    def ask(key: str, name: str | None = None, **options: object) -> None:
        open_model(run, name).prompt(text, stream=False, key=key, **options).text()

    return [
        expect_error(openai.AuthenticationError, lambda: ask(run.bad_key)),
        expect_error(openai.NotFoundError, lambda: ask(run.key, UNKNOWN_MODEL)),
        expect_error(openai.BadRequestError, lambda: ask(run.key, max_tokens=0)),
    ]


def drive_api(uses_responses: bool) -> None:
    drive(
        {
            "create": create,
            "stream": lambda run: expect_emulated(read_stream(run)),
            "tools": lambda run: call_tools(run, False),
            "streamed tools": lambda run: call_tools(run, True),
            "output by tool": "its typed answers are by schema",
            "output by schema": output_by_schema,
            "JSON mode": json_mode,
            "images": images,
            "errors": errors,
            "failing stream": lambda run: nothing(expect_error(openai.APIError, lambda: read_stream(run))),
            "cancellation": "it leaves a stream only when its process ends",
            "models": "it does not list models",
        },
        before=lambda runs: write_models(runs, uses_responses),
    )
