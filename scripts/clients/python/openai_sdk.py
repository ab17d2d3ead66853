"""openai-python: chat completions, and the Responses API, stateless."""

import json

import openai
from client import AGAIN, ANY_JSON, PIXEL_URL, PLACE, PLAIN, Client, Place
from pydantic import BaseModel


class City(BaseModel):
    city: str


TOOLS = [openai.pydantic_function_tool(City, name=name) for name in ("get_weather", "get_time")]
PLACE_TOOL = openai.pydantic_function_tool(Place)


def open_sdk(run):
    return openai.OpenAI(api_key=run.key, base_url=run.base_url)


class OpenAiClient(Client):
    key_error = openai.AuthenticationError
    model_error = openai.NotFoundError
    setting_error = openai.BadRequestError
    stream_error = openai.APIError

    def models(self, run):
        sdk = open_sdk(run)
        return [model.id for model in sdk.models.list()], sdk.models.retrieve(run.model).id


class Chat(OpenAiClient):
    def create(self, run, messages, **more):
        return open_sdk(run).chat.completions.create(model=run.model, messages=messages, **more)

    def parsed(self, run, messages, is_streamed, **more):
        """The message, by the SDK's own helpers."""
        completions = open_sdk(run).chat.completions
        asked = {"model": run.model, "messages": messages, **more}
        if not is_streamed:
            return completions.parse(**asked).choices[0].message
        with completions.stream(**asked) as events:
            return events.get_final_completion().choices[0].message

    def ask(self, run, text, **setting):
        answer = self.create(run, [{"role": "user", "content": text}], **setting)
        return answer.choices[0].message.content, answer.usage.total_tokens > 0

    def stream(self, run):
        with self.create(run, [run.user(PLAIN)], stream=True, stream_options={"include_usage": True}) as chunks:
            for chunk in chunks:
                yield (chunk.choices[0].delta.content or "") if chunk.choices else ""

    def stream_whole(self, run):
        return self.parsed(run, [run.user(AGAIN)], True).content

    def converse(self, run, prompts, called, is_streamed):
        messages: list = []
        for prompt in prompts:
            messages.append({"role": "user", "content": prompt})
            while True:
                message = self.parsed(run, messages, is_streamed, tools=TOOLS)
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    content = called.call(call.function.name, json.loads(call.function.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            yield message.content

    def by_tool(self, run):
        choice = {"type": "function", "function": {"name": "Place"}}
        message = self.parsed(run, [run.user(PLACE)], False, tools=[PLACE_TOOL], tool_choice=choice)
        return [message.tool_calls[0].function.parsed_arguments]

    def by_schema(self, run):
        messages: list = [run.user(PLACE)]
        first = self.parsed(run, messages, False, response_format=Place)
        second = self.parsed(run, [*messages, first, run.user(AGAIN)], True, response_format=Place)
        return [first.parsed, second.parsed]

    def any_json(self, run):
        answer = self.create(run, [run.user(ANY_JSON)], response_format={"type": "json_object"})
        return answer.choices[0].message.content

    def see(self, run, text):
        content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": PIXEL_URL}}]
        return self.create(run, [{"role": "user", "content": content}]).choices[0].message.content


class Responses(OpenAiClient):
    def create(self, run, asked, **more):
        return open_sdk(run).responses.create(model=run.model, input=asked, **more)

    def ask(self, run, text, **setting):
        answer = self.create(run, text, instructions="Be brief.", **setting)
        return answer.output_text, answer.usage.total_tokens > 0

    def stream(self, run):
        with self.create(run, run.prompt(PLAIN), stream=True) as events:
            for event in events:
                if event.type == "response.output_text.delta":
                    yield event.delta

    def stream_whole(self, run):
        with open_sdk(run).responses.stream(model=run.model, input=run.prompt(AGAIN)) as events:
            return events.get_final_response().output_text

    def converse(self, run, prompts, called, is_streamed):
        responses = open_sdk(run).responses
        tools = [{"type": "function", **tool["function"]} for tool in TOOLS]
        items: list = []
        for prompt in prompts:
            items.append({"role": "user", "content": prompt})
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
                    output = called.call(call.name, json.loads(call.arguments))
                    items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
                if not calls:
                    break
            yield answer.output_text

    def by_tool(self, run):
        tool = {"type": "function", **PLACE_TOOL["function"]}
        choice = {"type": "function", "name": "Place"}
        asked = {"model": run.model, "input": run.prompt(PLACE), "tools": [tool], "tool_choice": choice}
        output = open_sdk(run).responses.parse(**asked).output
        return [Place.model_validate_json(item.arguments) for item in output if item.type == "function_call"]

    def by_schema(self, run):
        responses = open_sdk(run).responses
        first = responses.parse(model=run.model, input=run.prompt(PLACE), text_format=Place)
        with responses.stream(model=run.model, input=run.prompt(ANY_JSON), text_format=Place) as events:
            return [first.output_parsed, events.get_final_response().output_parsed]

    def any_json(self, run):
        return self.create(run, run.prompt(ANY_JSON), text={"format": {"type": "json_object"}}).output_text

    def see(self, run, text):
        content = [{"type": "input_text", "text": text}, {"type": "input_image", "image_url": PIXEL_URL}]
        return self.create(run, [{"role": "user", "content": content}]).output_text


def open_client(api: str) -> Client:
    return Chat() if api == "chat" else Responses()
