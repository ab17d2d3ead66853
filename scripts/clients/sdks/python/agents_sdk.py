"""The OpenAI Agents SDK, by the Responses API (its default) and by chat completions."""

import openai
from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool
from client import PIXEL_URL, PLACE, PLAIN, Client, Place
from openai.types.responses import ResponseTextDeltaEvent


def agent_for(run, **more):
    return Agent(**{"name": "Guide", "instructions": "Be brief.", "model": run.model, **more})


class Agents(Client):
    key_error = openai.AuthenticationError
    model_error = openai.NotFoundError
    setting_error = openai.BadRequestError
    stream_error = openai.APIError

    def __init__(self, api):
        self.api = api

    def settings(self, run):
        """Traces would go to OpenAI."""
        address = {"api_key": run.key, "base_url": run.base_url}
        provider = OpenAIProvider(**address, use_responses=self.api == "responses")
        return RunConfig(model_provider=provider, tracing_disabled=True)

    async def output(self, run, agent, asked):
        return (await Runner.run(agent, asked, run_config=self.settings(run))).final_output

    async def ask(self, run, text, **setting):
        return await self.output(run, agent_for(run, model_settings=ModelSettings(**setting)), text), True

    async def stream(self, run):
        answer = Runner.run_streamed(agent_for(run), run.prompt(PLAIN), run_config=self.settings(run))
        events = answer.stream_events()
        try:
            async for event in events:
                if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                    yield event.data.delta
        except GeneratorExit:
            answer.cancel()
            async for _ in events:  # they end once the run has stopped
                pass
            raise

    async def converse(self, run, prompts, called, is_streamed):
        agent = agent_for(run, tools=[function_tool(called.get_weather), function_tool(called.get_time)])
        items: list = []
        for prompt in prompts:
            items.append({"role": "user", "content": prompt})
            if is_streamed:
                answer = Runner.run_streamed(agent, items, run_config=self.settings(run))
                async for _ in answer.stream_events():
                    pass
            else:
                answer = await Runner.run(agent, items, run_config=self.settings(run))
            yield answer.final_output
            items = answer.to_input_list()

    async def by_schema(self, run):
        return [await self.output(run, agent_for(run, output_type=Place), run.prompt(PLACE))]

    async def see(self, run, text):
        content = [
            {"type": "input_text", "text": text},
            {"type": "input_image", "image_url": PIXEL_URL, "detail": "auto"},
        ]
        return await self.output(run, agent_for(run), [{"role": "user", "content": content}])


def open_client(api: str) -> Client:
    return Agents(api)
