"""instructor over openai-python: typed answers, in each of its ways."""

import instructor
import openai
from client import ANY_JSON, PIXEL_URL, PLACE, PLAIN, AnyObject, Client, Place
from instructor import Image, Mode
from instructor.core.exceptions import InstructorError


class Instructor(Client):
    key_error = model_error = setting_error = InstructorError
    stream_error = openai.APIError

    def open(self, run, mode=Mode.TOOLS):
        return instructor.from_openai(openai.OpenAI(api_key=run.key, base_url=run.base_url), mode=mode)

    def ask(self, run, text, **setting):
        """Only a typed answer raises its own errors."""
        shape = Place if run.feature == "errors" else None
        asked = {"model": run.model, "messages": [{"role": "user", "content": text}], **setting}
        return self.open(run).create(response_model=shape, **asked).choices[0].message.content, True

    def stream(self, run):
        asked = {"model": run.model, "messages": [run.user(PLAIN)], "stream": True}
        chunks = self.open(run).create(response_model=None, **asked)
        try:
            for chunk in chunks:
                yield (chunk.choices[0].delta.content or "") if chunk.choices else ""
        finally:
            chunks.close()

    def stream_whole(self, run):
        """A typed answer that grows."""
        asked = {"response_model": Place, "model": run.model, "messages": [run.user(PLACE)]}
        *_, partial = self.open(run).create_partial(**asked)
        return Place.model_validate(partial.model_dump())

    def typed(self, run, mode, text, shape=Place):
        answer = self.open(run, mode).create(response_model=shape, model=run.model, messages=[run.user(text)])
        assert isinstance(answer, shape)
        return answer

    def by_tool(self, run):
        return [self.typed(run, Mode.TOOLS, PLACE)]

    def by_schema(self, run):
        return [self.typed(run, Mode.JSON_SCHEMA, PLACE)]

    def any_json(self, run):
        return self.typed(run, Mode.JSON, ANY_JSON, AnyObject)

    def see(self, run, text):
        message = {"role": "user", "content": [text, Image.from_base64(PIXEL_URL)]}
        return self.open(run).create(response_model=Place, model=run.model, messages=[message])


def open_client(_api: str) -> Client:
    return Instructor()
