"""pydantic-ai: an agent, by its model for chat completions and by the one for the Responses API."""

from client import PIXEL_BYTES, PLACE, PLAIN, AnyObject, Client, Place
from pydantic_ai import Agent, BinaryContent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider


class PydanticAi(Client):
    key_error = model_error = setting_error = ModelHTTPError
    stream_error = ModelAPIError
    wrong = {"max_tokens": 0}  # a temperature is not sent to every model

    def __init__(self, kind):
        self.kind = kind

    def agent_for(self, run, **more):
        provider = OpenAIProvider(base_url=run.base_url, api_key=run.key)
        return Agent(self.kind(run.model, provider=provider), **more)

    async def ask(self, run, text, **setting):
        answer = await self.agent_for(run).run(text, model_settings=setting or None)
        return answer.output, answer.usage.total_tokens > 0

    async def stream(self, run):
        async with self.agent_for(run).run_stream(run.prompt(PLAIN)) as answer:
            async for piece in answer.stream_text(delta=True, debounce_by=None):
                yield piece

    async def converse(self, run, prompts, called, is_streamed):
        agent = self.agent_for(run, tools=[called.get_weather, called.get_time])
        history: list = []
        for prompt in prompts:
            if is_streamed:
                async with agent.run_stream(prompt, message_history=history) as answer:
                    output = await answer.get_output()
            else:
                answer = await agent.run(prompt, message_history=history)
                output = answer.output
            history = answer.all_messages()
            yield output

    async def typed(self, run, kind):
        return (await self.agent_for(run, output_type=kind).run(run.prompt(PLACE))).output

    async def by_tool(self, run):
        return [await self.typed(run, ToolOutput(Place))]

    async def by_schema(self, run):
        return [await self.typed(run, NativeOutput(Place))]

    async def any_json(self, run):
        return await self.typed(run, PromptedOutput(AnyObject))

    async def see(self, run, text):
        answer = await self.agent_for(run).run([text, BinaryContent(PIXEL_BYTES, media_type="image/png")])
        return answer.output


def open_client(api: str) -> Client:
    return PydanticAi(OpenAIChatModel if api == "chat" else OpenAIResponsesModel)
