"""LlamaIndex's class for OpenAI's own models."""

from driver import Run
from llama_index_classes import drive_class
from llama_index.core.types import PydanticProgramMode
from llama_index.llms.openai import OpenAI


def open_llm(run: Run, **more: object) -> OpenAI:
    return OpenAI(**{"model": run.model, "api_base": run.base_url, "api_key": run.key, "max_retries": 0, **more})


if __name__ == "__main__":
    drive_class(open_llm, by_tool={"pydantic_program_mode": PydanticProgramMode.FUNCTION}, by_schema={})
