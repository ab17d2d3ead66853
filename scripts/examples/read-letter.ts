// Has a letter read and lists the published waiting lists of its specialty. Node 22.18 or later, no packages:
//   URL=https://… KEY=vk_test_… node read-letter.ts LETTER_FILE [ADULT_OR_CHILD] [ACTION]
// ADULT_OR_CHILD is what the clinician says if the readers do not agree on the age group.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

type Failure = { code: string; message: string; identifiers?: { shape: string; start: number; end: number }[] }
type Reading = { decision: string; because: string; specialty: string; ageGroup: string | null; record?: object }
type List = { hospital: string | null; total: number; cannotEstablish: string[] }
type Lists = {
  source: { acknowledgement: string }
  datasetVersion: { archiveDate: string; publishedOn: string }
  waitingLists: List[]
  cannotEstablish: string[]
}

const { URL: service = '', KEY: key = '' } = process.env
const [file = '', fromClinician, action = 'identify_specialty'] = process.argv.slice(2)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const MOST_SECONDS = 20

/** Returns the body, or null if it was lost three times. The idempotency key has a letter read once at most. */
async function call(path: string, more: RequestInit = {}): Promise<string | null> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      const signal = AbortSignal.timeout(MOST_SECONDS * 1000)
      const response = await fetch(service + path, { headers, signal, ...more })
      const body = await response.text()
      const wait = Number(response.headers.get('retry-after') ?? 1)
      const mayRetry = response.status === 429 || response.status === 503
      if (!mayRetry || response.headers.get('x-should-retry') === 'false') return body
      if (attempt === 3 || wait > MOST_SECONDS) return body
      await sleep(wait * 1000)
    } catch (lost) {
      console.error(`attempt ${attempt}: ${String(lost)}`)
    }
  }
  return null
}

function showFailure({ code, message, identifiers = [] }: Failure): void {
  console.log(`${code}: ${message}`)
  for (const { shape, start, end } of identifiers) console.log(`${shape} at ${start} to ${end}`)
}

async function showLists(specialty: string, ageGroup: string): Promise<void> {
  const body = await call(`/v1/waiting-lists?${new URLSearchParams({ specialty, ageGroup }).toString()}`)
  if (body === null) return console.log('The waiting lists cannot be shown.')
  const { error, ...lists } = JSON.parse(body) as Lists & { error?: Failure }
  if (error !== undefined) return showFailure(error)
  // In the published order, which means nothing. Never sort it.
  for (const { hospital, total } of lists.waitingLists) console.log(`${hospital ?? 'Whole country'}: ${total} waiting`)
  const { archiveDate, publishedOn } = lists.datasetVersion
  console.log(`${lists.source.acknowledgement} Archive date ${archiveDate}, published ${publishedOn}.`)
  const untold = [...lists.cannotEstablish, ...lists.waitingLists.flatMap((list) => list.cannotEstablish)]
  for (const sentence of new Set(untold)) console.log(`Not told: ${sentence}`)
}

async function main(): Promise<void> {
  const body = JSON.stringify({ text: readFileSync(file, 'utf8'), action })
  const readOnce = { ...headers, 'idempotency-key': randomUUID() }
  const answer = await call('/v1/referral/read', { method: 'POST', headers: readOnce, body })
  if (answer === null) return console.log('No answer, which is not a yes. The clinician chooses.')
  const { error, ...reading } = JSON.parse(answer) as Reading & { error?: Failure }
  if (error !== undefined) return showFailure(error)
  // Only live keys get a record. Store it beside the letter.
  if (reading.record !== undefined) writeFileSync('reading.json', answer)
  if (reading.decision !== 'yes') return console.log(`${reading.decision}: ${reading.because}`)
  console.log(`yes: ${reading.specialty}, ${reading.ageGroup ?? 'age group not agreed'}`)
  const ageGroup = reading.ageGroup ?? fromClinician
  if (ageGroup === undefined) return console.log('Ask the clinician: adult or child?')
  await showLists(reading.specialty, ageGroup)
}

await main()
