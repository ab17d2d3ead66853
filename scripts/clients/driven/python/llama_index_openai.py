"""LlamaIndex's class for OpenAI's own models."""

from driver import UNKNOWN_MODEL, CannotError, Run
from llama_index.core.types import PydanticProgramMode
from llama_index.llms.openai import OpenAI
from llama_index.llms.openai.utils import openai_modelname_to_contextsize
from llama_index_classes import drive_class

# It asks for no model that it does not know itself. This one is OpenAI's, and not in the catalogue.
KNOWN_BUT_NOT_HERE = "o1"


def open_llm(run: Run, model: str | None = None, **more: object) -> OpenAI:
    name = KNOWN_BUT_NOT_HERE if model == UNKNOWN_MODEL else model or run.model
    try:
        openai_modelname_to_contextsize(name)
    except ValueError:
        raise CannotError("it takes OpenAI's own models alone") from None
    return OpenAI(**{"model": name, "api_base": run.base_url, "api_key": run.key, "max_retries": 0, **more})


if __name__ == "__main__":
    drive_class(open_llm, by_tool={"pydantic_program_mode": PydanticProgramMode.FUNCTION}, by_schema={})
