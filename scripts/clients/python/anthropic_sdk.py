"""anthropic: Messages."""

import anthropic
from client import AGAIN, PIXEL, PLACE, PLAIN, Client, Place

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"name": name, "input_schema": CITY} for name in ("get_weather", "get_time")]


def open_sdk(run):
    """The SDK adds /v1 itself."""
    return anthropic.Anthropic(api_key=run.key, base_url=run.base_url.removesuffix("/v1"))


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


class Messages(Client):
    key_error = anthropic.AuthenticationError
    model_error = anthropic.NotFoundError
    setting_error = anthropic.BadRequestError
    stream_error = anthropic.APIError

    def models(self, run):
        sdk = open_sdk(run)
        return [model.id for model in sdk.models.list()], sdk.models.retrieve(run.model).id

    def create(self, run, messages, **more):
        return open_sdk(run).messages.create(model=run.model, max_tokens=1024, messages=messages, **more)

    def streamed(self, run, messages, **more):
        """The message, by the SDK's own helper."""
        asked = {"model": run.model, "max_tokens": 1024, "messages": messages, **more}
        with open_sdk(run).messages.stream(**asked) as events:
            return events.get_final_message()

    def ask(self, run, text, **setting):
        answer = self.create(run, [{"role": "user", "content": text}], system="Be brief.", extra_body=setting)
        return text_of(answer), answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0

    def stream(self, run):
        with self.create(run, [run.user(PLAIN)], stream=True) as events:
            for event in events:
                if event.type == "content_block_delta" and event.delta.type == "text_delta":
                    yield event.delta.text

    def stream_whole(self, run):
        return text_of(self.streamed(run, [run.user(AGAIN)]))

    def converse(self, run, prompts, called, is_streamed):
        ask = self.streamed if is_streamed else self.create
        messages: list = []
        for prompt in prompts:
            messages.append({"role": "user", "content": prompt})
            while True:
                message = ask(run, messages, tools=TOOLS)
                messages.append({"role": "assistant", "content": message.content})
                calls = [block for block in message.content if block.type == "tool_use"]
                if not calls:
                    break
                results = [
                    {"type": "tool_result", "tool_use_id": call.id, "content": called.call(call.name, call.input)}
                    for call in calls
                ]
                messages.append({"role": "user", "content": results})
            yield text_of(message)

    def by_tool(self, run):
        tool = {"name": "Place", "input_schema": Place.model_json_schema()}
        choice = {"type": "tool", "name": "Place"}
        answer = self.create(run, [run.user(PLACE)], tools=[tool], tool_choice=choice)
        return [Place.model_validate(block.input) for block in answer.content if block.type == "tool_use"]

    def by_schema(self, run):
        messages: list = [run.user(PLACE)]
        asked = {"model": run.model, "max_tokens": 1024, "messages": messages, "output_format": Place}
        first = open_sdk(run).messages.parse(**asked)
        messages += [{"role": "assistant", "content": first.content}, run.user(AGAIN)]
        return [first.parsed_output, self.streamed(run, messages, output_format=Place).parsed_output]

    def see(self, run, text):
        source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
        content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
        return text_of(self.create(run, [{"role": "user", "content": content}]))


def open_client(_: str) -> Client:
    return Messages()
