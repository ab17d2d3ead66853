"""Uses the client that openapi-python-client made: the calls of scripts/clients/generated/reference-calls.ts, each parsed as its type."""

import json
import os

from countersign import AuthenticatedClient
from countersign.api.gateway import create_chat_completion
from countersign.api.referral import read_referral
from countersign.api.waiting_lists import list_waiting_lists
from countersign.models import (
    AgeGroup,
    ChatCompletion,
    ChatCompletionRequest,
    Error,
    HeldResponse,
    ReadRequest,
    ReadResponse,
    UserMessage,
    UserMessageRole,
    WaitingListsResponse,
)
from countersign.models.read_request_action_type_0 import ReadRequestActionType0


def client(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=key)


referral = client(os.environ["REFERRAL_KEY"])
gateway = client(os.environ["GATEWAY_KEY"])

read = read_referral.sync(client=referral, body=ReadRequest(text=os.environ["LETTER"]))
assert isinstance(read, ReadResponse), read

held = read_referral.sync(client=referral, body=ReadRequest(action=ReadRequestActionType0.BOOK_APPOINTMENT))
assert isinstance(held, HeldResponse), held

assert read.specialty is not None
lists = list_waiting_lists.sync(client=referral, specialty=read.specialty, age_group=AgeGroup.CHILD)
assert isinstance(lists, WaitingListsResponse), lists

asked = UserMessage(role=UserMessageRole.USER, content=os.environ["QUESTION"])
chat = create_chat_completion.sync(client=gateway, body=ChatCompletionRequest(model="gpt-4.1-mini", messages=[asked]))
assert isinstance(chat, ChatCompletion), chat

refused = read_referral.sync_detailed(client=client("no-key"), body=ReadRequest(text="A letter."))
assert isinstance(refused.parsed, Error), refused.parsed

print(
    json.dumps(
        {
            "read": [read.decision, read.specialty, read.age_group, len(read.readers)],
            "held": [held.action, held.decision, held.note],
            "lists": [lists.specialty, lists.age_group, [each.total for each in lists.waiting_lists]],
            "chat": [chat.object_, chat.choices[0].finish_reason, chat.aqta.status],
            "refused": [int(refused.status_code), refused.parsed.error.code],
        }
    )
)
