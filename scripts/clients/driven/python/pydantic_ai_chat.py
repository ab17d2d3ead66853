"""pydantic-ai, its model for chat completions."""

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai_agent import drive_api

if __name__ == "__main__":
    drive_api(lambda name, provider: OpenAIChatModel(name, provider=provider))
