"""llm, with this service among its extra OpenAI models, by chat completions and by the Responses API."""

import json
import os
import pathlib

from client import ANY_JSON, PIXEL_BYTES, PLACE, PLAIN, UNKNOWN_MODEL, CannotError, Client, Place

SETTINGS = pathlib.Path(json.loads(os.environ["DRIVEN"])["folder"])
os.environ["LLM_USER_PATH"] = str(SETTINGS)

import llm
import openai


class Llm(Client):
    key_error = openai.AuthenticationError
    model_error = openai.NotFoundError
    setting_error = openai.BadRequestError
    stream_error = openai.APIError
    wrong = {"max_tokens": 0}

    def __init__(self, api):
        self.api = api

    def before(self, runs):
        """As its documentation says. An address belongs to a model, so there is a model for each run."""
        models = [
            {
                "model_id": f"{run.base_url}/{name}",
                "model_name": name,
                "api_base": run.base_url,
                "api_key_name": "countersign",
                "supports_schema": True,
                "supports_tools": True,
                "vision": True,
                "responses": self.api == "responses",
            }
            for run in runs
            for name in (run.model, UNKNOWN_MODEL)
        ]
        (SETTINGS / "extra-openai-models.yaml").write_text(json.dumps(models))

    def open(self, run):
        return llm.get_model(f"{run.base_url}/{run.model}")

    def text(self, run, prompt, **more):
        return self.open(run).prompt(prompt, stream=False, key=run.key, **more).text()

    def ask(self, run, text, **setting):
        return self.text(run, text, **setting), True

    def stream(self, run):
        if run.feature == "cancellation":
            raise CannotError("it leaves a stream only when its process ends")
        yield from self.open(run).prompt(run.prompt(PLAIN), stream=True, key=run.key)

    def converse(self, run, prompts, called, is_streamed):
        conversation = self.open(run).conversation(tools=[called.get_weather, called.get_time])
        for prompt in prompts:
            yield conversation.chain(prompt, stream=is_streamed, key=run.key).text()

    def by_schema(self, run):
        return [Place.model_validate_json(self.text(run, run.prompt(PLACE), schema=Place))]

    def any_json(self, run):
        return self.text(run, run.prompt(ANY_JSON), json_object=True)

    def see(self, run, text):
        return self.text(run, text, attachments=[llm.Attachment(type="image/png", content=PIXEL_BYTES)])


def open_client(api: str) -> Client:
    return Llm(api)
