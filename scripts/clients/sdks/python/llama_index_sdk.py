"""LlamaIndex: its class for OpenAI's own models, and the one for services that are compatible with OpenAI's."""

import gc
import json

import openai
from client import ANY_JSON, PIXEL_BYTES, PLACE, PLAIN, UNKNOWN_MODEL, CannotError, Client, Place
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.core.types import PydanticProgramMode
from llama_index.llms.openai import OpenAI
from llama_index.llms.openai.utils import openai_modelname_to_contextsize
from llama_index.llms.openai_like import OpenAILike

# The class for OpenAI's models asks for none that it does not know. This one is OpenAI's, and not in the catalogue.
KNOWN_BUT_NOT_HERE = "o1"


def open_own(run, **more):
    name = KNOWN_BUT_NOT_HERE if run.model == UNKNOWN_MODEL else run.model
    try:
        openai_modelname_to_contextsize(name)
    except ValueError:
        raise CannotError("it takes OpenAI's own models alone") from None
    return OpenAI(model=name, api_base=run.base_url, api_key=run.key, max_retries=0, **more)


def open_like(run, **more):
    address = {"model": run.model, "api_base": run.base_url, "api_key": run.key, "max_retries": 0}
    return OpenAILike(**address, is_chat_model=True, is_function_calling_model=True, **more)


class LlamaIndex(Client):
    key_error = openai.AuthenticationError
    model_error = openai.NotFoundError
    setting_error = openai.BadRequestError
    stream_error = openai.APIError

    def __init__(self, open_llm, by_tool, by_schema):
        self.open_llm = open_llm
        self.tool_settings = by_tool
        self.schema_settings = by_schema

    def chat(self, run, message, **more):
        return self.open_llm(run).chat([message], **more).message.content

    def ask(self, run, text, **setting):
        return self.chat(run, ChatMessage(role="user", content=text), **setting), True

    def stream(self, run):
        pieces = self.open_llm(run).stream_chat([ChatMessage(role="user", content=run.prompt(PLAIN))])
        try:
            for piece in pieces:
                yield piece.delta or ""
        finally:
            del pieces
            gc.collect()  # there is no other way to leave a stream

    def converse(self, run, prompts, called, is_streamed):
        tools = [FunctionTool.from_defaults(called.get_weather), FunctionTool.from_defaults(called.get_time)]
        llm = self.open_llm(run)
        messages: list[ChatMessage] = []
        for prompt in prompts:
            messages.append(ChatMessage(role="user", content=prompt))
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
                    content = called.call(call.tool_name, json.dumps(call.tool_kwargs))
                    messages.append(ChatMessage(role="tool", content=content, additional_kwargs=named))
            yield answer.message.content

    def typed(self, run, settings):
        return [self.open_llm(run, **settings).structured_predict(Place, PromptTemplate(run.prompt(PLACE)))]

    def by_tool(self, run):
        return self.typed(run, self.tool_settings)

    def by_schema(self, run):
        return self.typed(run, self.schema_settings)

    def any_json(self, run):
        message = ChatMessage(role="user", content=run.prompt(ANY_JSON))
        return self.chat(run, message, response_format={"type": "json_object"})

    def see(self, run, text):
        blocks = [TextBlock(text=text), ImageBlock(image=PIXEL_BYTES, image_mimetype="image/png")]
        return self.chat(run, ChatMessage(role="user", blocks=blocks))


def open_client(variant: str) -> Client:
    if variant == "openai":
        return LlamaIndex(open_own, {"pydantic_program_mode": PydanticProgramMode.FUNCTION}, {})
    return LlamaIndex(open_like, {}, {"should_use_structured_outputs": True})
