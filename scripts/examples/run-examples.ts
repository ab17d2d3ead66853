// Sends every example letter to the service and compares each answer with what is expected. Prints the differences and exits with 1
// if there are any. Node 22.18 or later, no packages:
//   URL=https://… KEY=vk_test_… node run-examples.ts
import { setTimeout as sleep } from 'node:timers/promises'

const { URL: service = '', KEY: key = '' } = process.env
const TIMEOUT_MS = 20_000

type Outcome = { decision: string | null; specialty: string | null; ageGroup: string | null }
type Example = { id: string; text: string; action: string | null; expected: Outcome & { status: number; code: string } }
type Answer = Partial<Outcome> & { error?: { code: string } }

async function call(path: string, body?: object): Promise<Response> {
  const response = await fetch(service + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (response.status !== 429) return response
  await sleep(Number(response.headers.get('retry-after')) * 1000)
  return call(path, body)
}

const listed = await call('/v1/examples')
if (!listed.ok) throw new Error(await listed.text())
const { examples } = (await listed.json()) as { examples: Example[] }

let differing = 0
for (const { id, text, action, expected } of examples) {
  const response = await call('/v1/referral/read', { text, action })
  const { decision, specialty, ageGroup, error } = (await response.json()) as Answer
  const answered = {
    status: response.status,
    decision: decision ?? null,
    code: error?.code ?? null,
    specialty: specialty ?? null,
    ageGroup: ageGroup ?? null,
  }
  const names = (Object.keys(answered) as (keyof typeof answered)[]).filter((name) => answered[name] !== expected[name])
  for (const name of names) console.log(`${id}: ${name} is ${answered[name]}, expected ${expected[name]}`)
  if (names.length > 0) differing += 1
}
console.log(`${examples.length - differing} of ${examples.length} answered as expected`)
process.exitCode = differing === 0 ? 0 : 1
