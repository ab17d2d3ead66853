"""llm, by the Responses API."""

from llm_extra import drive_api

if __name__ == "__main__":
    drive_api(uses_responses=True)
