"""pydantic-ai, its model for the Responses API."""

from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai_agent import drive_api

if __name__ == "__main__":
    drive_api(lambda name, provider: OpenAIResponsesModel(name, provider=provider))
