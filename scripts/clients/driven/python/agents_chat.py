"""The OpenAI Agents SDK, by chat completions."""

from agents_runner import drive_api

if __name__ == "__main__":
    drive_api(uses_responses=False)
