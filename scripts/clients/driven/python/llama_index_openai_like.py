"""LlamaIndex's class for services that are compatible with OpenAI's."""

from driver import Run
from llama_index_classes import drive_class
from llama_index.llms.openai_like import OpenAILike


def open_llm(run: Run, **more: object) -> OpenAILike:
    return OpenAILike(
        **{
            "model": run.model,
            "api_base": run.base_url,
            "api_key": run.key,
            "max_retries": 0,
            "is_chat_model": True,
            "is_function_calling_model": True,
            **more,
        }
    )


if __name__ == "__main__":
    drive_class(open_llm, by_tool={}, by_schema={"should_use_structured_outputs": True})
