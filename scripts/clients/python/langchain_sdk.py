"""LangChain in Python: ChatOpenAI with its defaults."""

import openai
from client import ANY_JSON, PIXEL_URL, PLACE, PLAIN, REFUSED_TEMPERATURE, Client, Place
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


def open_model(run, **more):
    return ChatOpenAI(model=run.model, api_key=run.key, base_url=run.base_url, max_retries=0, **more)


class LangChain(Client):
    key_error = openai.AuthenticationError
    model_error = openai.NotFoundError
    setting_error = openai.BadRequestError
    stream_error = openai.APIError
    wrong = {"top_p": REFUSED_TEMPERATURE}

    def ask(self, run, text, **setting):
        answer = open_model(run, **setting).invoke(text)
        return answer.text, answer.usage_metadata["total_tokens"] > 0

    def stream(self, run):
        chunks = open_model(run).stream(run.prompt(PLAIN))
        try:
            for chunk in chunks:
                yield chunk.text
        finally:
            chunks.close()

    def converse(self, run, prompts, called, is_streamed):
        tools = {named.__name__: tool(named) for named in (called.get_weather, called.get_time)}
        model = open_model(run).bind_tools(list(tools.values()))
        messages: list = []
        for prompt in prompts:
            messages.append(HumanMessage(prompt))
            while True:
                if is_streamed:
                    answer, *chunks = model.stream(messages)
                    for chunk in chunks:
                        answer += chunk
                else:
                    answer = model.invoke(messages)
                messages.append(answer)
                if not answer.tool_calls:
                    break
                messages += [tools[call["name"]].invoke(call) for call in answer.tool_calls]
            yield answer.text

    def typed(self, run, method):
        return [open_model(run).with_structured_output(Place, method=method).invoke(run.prompt(PLACE))]

    def by_tool(self, run):
        return self.typed(run, "function_calling")

    def by_schema(self, run):
        return self.typed(run, "json_schema")

    def any_json(self, run):
        return open_model(run).with_structured_output(None, method="json_mode").invoke(run.prompt(ANY_JSON))

    def see(self, run, text):
        content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": PIXEL_URL}}]
        return open_model(run).invoke([HumanMessage(content)]).text


def open_client(_api: str) -> Client:
    return LangChain()
