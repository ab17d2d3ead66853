"""The OpenAI Agents SDK, by the Responses API, its default."""

from agents_runner import drive_api

if __name__ == "__main__":
    drive_api(uses_responses=True)
