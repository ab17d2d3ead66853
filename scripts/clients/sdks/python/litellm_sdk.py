"""litellm, with this service as an OpenAI-compatible endpoint."""

import os

# Its table of prices would be fetched.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from client import ANY_JSON, PIXEL_URL, PLACE, PLAIN, Client, Place

litellm.suppress_debug_info = True
litellm.telemetry = False

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": description, "parameters": CITY}}
    for name, description in (("get_weather", "The weather in a city"), ("get_time", "The time in a city"))
]


def complete(run, messages, **more):
    address = {"model": f"openai/{run.model}", "api_base": run.base_url, "api_key": run.key}
    return litellm.completion(**address, messages=messages, **more)


class LiteLlm(Client):
    key_error = litellm.AuthenticationError
    model_error = litellm.NotFoundError
    setting_error = litellm.BadRequestError
    stream_error = (litellm.exceptions.APIError, litellm.exceptions.MidStreamFallbackError)
    wrong = {"max_tokens": 0}

    def ask(self, run, text, **setting):
        answer = complete(run, [{"role": "user", "content": text}], **setting)
        return answer.choices[0].message.content, answer.usage.total_tokens > 0

    def stream(self, run):
        chunks = complete(run, [run.user(PLAIN)], stream=True)
        try:
            for chunk in chunks:
                yield chunk.choices[0].delta.content or ""
        except GeneratorExit:
            chunks.completion_stream.close()
            raise

    def converse(self, run, prompts, called, is_streamed):
        """Messages are sent back as it returns them."""
        messages: list = []
        for prompt in prompts:
            messages.append({"role": "user", "content": prompt})
            while True:
                answer = complete(run, messages, tools=TOOLS, stream=is_streamed)
                if is_streamed:
                    answer = litellm.stream_chunk_builder(list(answer), messages=messages)
                message = answer.choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    named = {"role": "tool", "tool_call_id": call.id, "name": call.function.name}
                    messages.append({**named, "content": called.call(call.function.name, call.function.arguments)})
            yield message.content

    def by_tool(self, run):
        tool = {"type": "function", "function": {"name": "place", "parameters": Place.model_json_schema()}}
        choice = {"type": "function", "function": {"name": "place"}}
        message = complete(run, [run.user(PLACE)], tools=[tool], tool_choice=choice).choices[0].message
        return [Place.model_validate_json(message.tool_calls[0].function.arguments)]

    def by_schema(self, run):
        answer = complete(run, [run.user(PLACE)], response_format=Place)
        return [Place.model_validate_json(answer.choices[0].message.content)]

    def any_json(self, run):
        answer = complete(run, [run.user(ANY_JSON)], response_format={"type": "json_object"})
        return answer.choices[0].message.content

    def see(self, run, text):
        content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": PIXEL_URL}}]
        return complete(run, [{"role": "user", "content": content}]).choices[0].message.content


def open_client(_api: str) -> Client:
    return LiteLlm()
