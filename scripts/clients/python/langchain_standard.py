"""LangChain's standard tests of a chat model, for ChatOpenAI with the service's base URL: langchain_standard.py. See ../suites.ts."""

import base64
import contextlib
import json
import os
import sys
from typing import Any

import httpx
import pytest
from client import PIXEL
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

TOLD = json.loads(os.environ["SUITE"])
CAN = TOLD["capabilities"]
LONGEST_WHY = 300

HAS_TOOL_CHOICE = TOLD["has_tool_choice"]
needs_tool_choice = pytest.mark.xfail(not HAS_TOOL_CHOICE, reason="The model cannot be forced to call a tool.", strict=True)

# A smallest document, because the suite's own is on the network.
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF"


@pytest.fixture(autouse=True)
def files_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the suite would download."""

    def get(url: str, **_: Any) -> httpx.Response:
        return httpx.Response(200, content=PDF if url.endswith(".pdf") else base64.b64decode(PIXEL))

    monkeypatch.setattr(httpx, "get", get)


class Standard(ChatModelIntegrationTests):
    chat_model_class = ChatOpenAI
    uses_responses: bool

    @property
    def chat_model_params(self) -> dict[str, Any]:
        where = {"base_url": TOLD["base_url"], "api_key": TOLD["key"], "max_retries": 0, "default_headers": TOLD["headers"]}
        return {**where, "model": TOLD["model"], "stream_usage": True, "use_responses_api": self.uses_responses}

    has_tool_choice = HAS_TOOL_CHOICE
    has_structured_output = True
    supports_json_mode = "json_object" in CAN["responseFormats"]
    supports_image_inputs = True
    supports_image_urls = "https" in CAN["imageSources"]
    supports_pdf_inputs = "application/pdf" in CAN["fileTypes"]
    supports_image_tool_message = CAN["toolResultMedia"]
    supports_pdf_tool_message = CAN["toolResultMedia"] and supports_pdf_inputs
    supports_anthropic_inputs = True
    supports_model_override = True
    model_override_value = TOLD["model"]
    supported_usage_metadata_details = {side: ["reasoning_output", "cache_read_input"] for side in ("invoke", "stream")}

    def invoke_with_reasoning_output(self, *, stream: bool = False) -> AIMessage:
        model = self.chat_model_class(**self.chat_model_params, streaming=stream)
        return model.invoke("How many days has a leap year?")

    invoke_with_cache_read_input = invoke_with_reasoning_output

    @needs_tool_choice
    def test_structured_few_shot_examples(self, model: BaseChatModel, my_adder_tool: BaseTool) -> None:
        super().test_structured_few_shot_examples(model, my_adder_tool)

    @needs_tool_choice
    def test_structured_output_pydantic_2_v1(self, model: BaseChatModel) -> None:
        super().test_structured_output_pydantic_2_v1(model)

    @needs_tool_choice
    def test_unicode_tool_call_integration(self, model: BaseChatModel) -> None:
        super().test_unicode_tool_call_integration(model)


class TestChat(Standard):
    uses_responses = False


class TestResponses(Standard):
    uses_responses = True


class Results:
    """Collects what pytest reports."""

    def __init__(self) -> None:
        self.passed = 0
        self.expected: list[dict[str, str]] = []
        self.failed: list[dict[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("::")[2]
        if report.failed:
            self.failed.append({"test": name, "why": str(report.longrepr)[-LONGEST_WHY:]})
        elif report.when == "call" and report.skipped and hasattr(report, "wasxfail"):
            self.expected.append({"test": name, "why": report.wasxfail})
        elif report.when == "call" and report.passed:
            self.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append({"test": report.nodeid, "why": str(report.longrepr)[-LONGEST_WHY:]})


if __name__ == "__main__":
    results = Results()
    options = ["--quiet", "--no-header", "-p", "no:cacheprovider", "--disable-recording", "--asyncio-mode=auto"]
    # The client keeps its connections, which end with the loop that opened them.
    loop = ["-o", "asyncio_default_test_loop_scope=session"]
    with contextlib.redirect_stdout(sys.stderr):
        pytest.main([__file__, *options, *loop], plugins=[results])
    print(json.dumps(vars(results)))
