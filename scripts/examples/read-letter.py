# Has a letter read and lists the published waiting lists of its specialty. Python 3.9 or later, no packages:
#   URL=https://… KEY=vk_test_… python3 read-letter.py LETTER_FILE [ADULT_OR_CHILD] [ACTION]
# ADULT_OR_CHILD is what the clinician says if the readers do not agree on the age group.
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

SERVICE = os.environ["URL"]
HEADERS = {"authorization": f"Bearer {os.environ['KEY']}", "content-type": "application/json"}
MOST_SECONDS = 20


def call(path, body=None, headers=HEADERS):
    """Returns the body, or None if it was lost three times. The idempotency key has a letter read once at most."""
    for attempt in (1, 2, 3):
        request = urllib.request.Request(SERVICE + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=MOST_SECONDS) as response:
                return response.read()
        except urllib.error.HTTPError as refused:
            wait = int(refused.headers.get("retry-after", 1))
            may_retry = refused.code in (429, 503) and refused.headers.get("x-should-retry") != "false"
            if not may_retry or attempt == 3 or wait > MOST_SECONDS:
                return refused.read()
            time.sleep(wait)
        except (OSError, http.client.HTTPException) as lost:
            print(f"attempt {attempt}: {lost}", file=sys.stderr)
    return None


def show_failure(error):
    print(f"{error['code']}: {error['message']}")
    for found in error.get("identifiers", []):
        print(f"{found['shape']} at {found['start']} to {found['end']}")


def show_lists(specialty, age_group):
    body = call("/v1/waiting-lists?" + urllib.parse.urlencode({"specialty": specialty, "ageGroup": age_group}))
    if body is None:
        return print("The waiting lists cannot be shown.")
    answer = json.loads(body)
    if "error" in answer:
        return show_failure(answer["error"])
    # In the published order, which means nothing. Never sort it.
    for one in answer["waitingLists"]:
        print(f"{one['hospital'] or 'Whole country'}: {one['total']} waiting")
    version = answer["datasetVersion"]
    print(f"{answer['source']['acknowledgement']} Archive date {version['archiveDate']}, published {version['publishedOn']}.")
    untold = answer["cannotEstablish"] + [text for one in answer["waitingLists"] for text in one["cannotEstablish"]]
    for sentence in dict.fromkeys(untold):
        print(f"Not told: {sentence}")


def main(file, from_clinician=None, action="identify_specialty"):
    with open(file, encoding="utf-8", newline="") as letter:
        body = json.dumps({"text": letter.read(), "action": action}).encode()
    read = call("/v1/referral/read", body, {**HEADERS, "idempotency-key": str(uuid.uuid4())})
    if read is None:
        return print("No answer, which is not a yes. The clinician chooses.")
    answer = json.loads(read)
    if "error" in answer:
        return show_failure(answer["error"])
    # Only live keys get a record. Store it beside the letter.
    if "record" in answer:
        with open("reading.json", "wb") as kept:
            kept.write(read)
    if answer["decision"] != "yes":
        return print(f"{answer['decision']}: {answer['because']}")
    print(f"yes: {answer['specialty']}, {answer['ageGroup'] or 'age group not agreed'}")
    age_group = answer["ageGroup"] or from_clinician
    if age_group is None:
        return print("Ask the clinician: adult or child?")
    show_lists(answer["specialty"], age_group)


main(*sys.argv[1:])
