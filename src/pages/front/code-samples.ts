// Front page: the code of both tools, with the address of this service in it, and the members of their answers that matter first.
import type { CodeTab } from '../parts/code-tabs.view.tsx'
import { nodeClient, pythonClient } from '../text/code-values.ts'

const ORIGIN = location.origin

/** The first example letter, read: a sandbox key reads no other, and costs nothing. */
export const READING: readonly CodeTab[] = [
  {
    name: 'curl',
    language: 'sh',
    text: `curl -s ${ORIGIN}/v1/examples \\
  -H "authorization: Bearer $KEY" |
  jq '.examples[0] | {text}' |
  curl -s ${ORIGIN}/v1/referral/read \\
    -H "authorization: Bearer $KEY" \\
    -H 'content-type: application/json' -d @-`,
  },
  {
    name: 'Python',
    language: 'python',
    text: `import json, os
from urllib.request import Request, urlopen

def ask(path, body=None):
    headers = {
        "authorization": f"Bearer {os.environ['KEY']}",
        "content-type": "application/json",
    }
    return json.load(urlopen(Request("${ORIGIN}" + path, body, headers)))

letter = ask("/v1/examples")["examples"][0]["text"]
reading = ask("/v1/referral/read", json.dumps({"text": letter}).encode())
print(reading["decision"], reading["specialty"])  # yes Cardiology
# None: not agreed, also beside yes. Ask the clinician.
print(reading["ageGroup"])  # Adult`,
  },
  {
    name: 'Node',
    language: 'js',
    text: `const headers = {
  authorization: \`Bearer \${process.env.KEY}\`,
  'content-type': 'application/json',
}
const ask = async (path, init) =>
  (await fetch(\`${ORIGIN}\${path}\`, { headers, ...init })).json()

const { examples: [{ text }] } = await ask('/v1/examples')
const body = JSON.stringify({ text })
const reading = await ask('/v1/referral/read', { method: 'POST', body })
console.log(reading.decision, reading.specialty) // yes Cardiology
// null: not agreed, also beside yes. Ask the clinician.
console.log(reading.ageGroup) // Adult`,
  },
  {
    name: 'Answer',
    language: 'json',
    text: `{
  "decision": "yes",
  "specialty": "Cardiology",
  "ageGroup": "Adult",
  "because": "Both readers named the same specialty and the same age group.",
  "readers": [
    { "model": "Reader A", "specialty": "Cardiology" },
    { "model": "Reader B", "specialty": "Cardiology" }
  ]
}`,
  },
]

export const GATEWAY: readonly CodeTab[] = [
  {
    name: 'curl',
    language: 'sh',
    text: `curl -s ${ORIGIN}/v1/chat/completions \\
  -H "authorization: Bearer $GATEWAY_KEY" \\
  -H 'content-type: application/json' \\
  -d '{
    "model": "gpt-4.1-mini",
    "messages": [{"role": "user", "content": "Name three towns."}]
  }'`,
  },
  {
    name: 'Python',
    language: 'python',
    text: pythonClient({
      origin: ORIGIN,
      key: 'os.environ["GATEWAY_KEY"]',
      given: ['model="gpt-4.1-mini"', 'messages=[{"role": "user", "content": "Name three towns."}]'],
      after: ['print(answer.choices[0].message.content)', 'print(answer.aqta["attestation"])  # the signed record'],
    }),
  },
  {
    name: 'Node',
    language: 'js',
    text: nodeClient({
      origin: ORIGIN,
      key: 'process.env.GATEWAY_KEY',
      given: [`{\n  model: 'gpt-4.1-mini',\n  messages: [{ role: 'user', content: 'Name three towns.' }],\n}`],
      after: [
        'console.log(answer.choices[0].message.content)',
        'console.log(answer.aqta.attestation) // the signed record',
      ],
    }),
  },
  {
    name: 'Answer',
    language: 'json',
    text: `{
  "object": "chat.completion",
  "choices": [{ "message": { "role": "assistant" } }],
  "aqta": {
    "status": "passed",
    "provider": "openai",
    "attestation": {
      "v": 1,
      "outcome": "ALLOWED",
      "model": "gpt-4.1-mini"
    }
  }
}`,
  },
]
