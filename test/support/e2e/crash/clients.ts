// Callers of two organisations who never rest: whole answers, streams, requests that are blocked and such as look like a
// loop, and some who ask for the newest heads. What each of them sent and got is kept, also where it broke off.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { isJsonObject, type JsonObject } from '../../../../src/platform/json.ts'
import { requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import type { OperatorTarget } from '../../../../scripts/operator/operator-client.ts'

/**
 * Keys of an organisation's callers. `loopKey` is separate, because loops are found per key. `letterKey` reads letters. `keyId`
 * names `key`.
 */
export type Caller = { organisationId: string; keyId: string; key: string; loopKey: string; letterKey: string }

/**
 * `refused`: for a model that the organisation has not enabled. `repeated`: the same prompt again and again. `again`: each request twice and
 * more under one idempotency key, all with one marker.
 */
export type SentKind = 'whole' | 'stream' | 'refused' | 'repeated' | 'again'

export type Sent = {
  organisationId: string
  kind: SentKind
  /** In the request's id, and in whatever of the request a provider sees. */
  marker: string
  requestHash: string
  /** Null until an answer begins. */
  status: number | null
  traceId: string | null
  /** As much of the answer as came. */
  text: string
  /** True if the answer came to its end. */
  isWhole: boolean
}

/** A letter that was to be read. `marker`: in the request's id and in the letter. */
export type SentLetter = { organisationId: string; marker: string; status: number | null }

/**
 * An act that was answered: a key issued, or settings or a policy changed. It has what the act made: the key, the version of
 * the settings, or that of the policy.
 */
export type Acted = { organisationId: string; keyId?: string; version?: number; policyVersion?: number }

/** Everything seen from outside, over all lives of the service. */
export type Seen = {
  sent: Sent[]
  /** Heads as they were served, with whose log it is. */
  heads: { organisationId: string; head: unknown }[]
  /** Questions about an organisation's log, answered or not. */
  questions: { organisationId: string }[]
  publicHeads: unknown[]
  letters: SentLetter[]
  /** In the order of their answers. */
  acts: Acted[]
}

export const nothingSeen = (): Seen => ({ sent: [], heads: [], questions: [], publicHeads: [], letters: [], acts: [] })

const MARKER = /ask-[0-9a-f-]{36}|letter-[a-p]{32}/

/** The marker in what a provider was sent. */
export const markerIn = (body: string): string | null => MARKER.exec(body)?.[0] ?? null

export type Load = {
  /** Requests sent since this load began. */
  sent: () => Sent[]
  /** No further requests; resolves when those on the way have ended. */
  stop: () => Promise<void>
}

/** How many callers of each kind an organisation has. */
const CALLERS: Readonly<Record<RestlessKind, number>> = { whole: 4, stream: 3, refused: 1, repeated: 1 }

/** @param claimedFrom of what was sent before, the first whose idempotency key the service can still know */
export function startLoad(target: OperatorTarget, callers: readonly Caller[], seen: Seen, claimedFrom = 0): Load {
  const stopping = new AbortController()
  const { signal } = stopping
  const earlier = seen.sent.length
  async function keepSending(caller: Caller, kind: SentKind): Promise<void> {
    while (!signal.aborted && (await send(target, caller, kind, seen)).isWhole) await sleep(PAUSE_MS)
  }
  /** First what an earlier life of the service has left unanswered: nobody knows whether that was run. */
  async function keepSendingAgain(caller: Caller): Promise<void> {
    const sendAgain = async (marker?: string): Promise<Sent> => send(target, caller, 'again', seen, marker)
    for (const marker of unansweredBy(caller, seen.sent.slice(claimedFrom))) {
      if (signal.aborted || !(await sendAgain(marker)).isWhole) return
    }
    while (!signal.aborted) {
      const { isWhole, marker } = await sendAgain()
      if (!isWhole || !(await sendAgain(marker)).isWhole) return
      await sleep(PAUSE_MS)
    }
  }
  async function keepLooking(caller: Caller): Promise<void> {
    while (!signal.aborted && (await askHead(target, caller, seen))) await sleep(PAUSE_MS)
  }
  async function keepLookingInPublic(): Promise<void> {
    while (!signal.aborted && (await askPublicHead(target, seen))) await sleep(PAUSE_MS)
  }
  async function keepReading(caller: Caller): Promise<void> {
    while (!signal.aborted && (await sendLetter(target, caller, seen))) await pause(LETTER_PAUSE_MS)
  }
  async function keepActing(caller: Caller): Promise<void> {
    for (let n = 0; !signal.aborted && (await act(target, { ...caller, n }, seen)); n += 1) await pause(ACT_PAUSE_MS)
  }
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => {})
  const loops = callers.flatMap((caller) => [
    keepLooking(caller),
    keepReading(caller),
    keepActing(caller),
    keepSendingAgain(caller),
    ...KINDS.flatMap((kind) => Array.from({ length: CALLERS[kind] }, () => keepSending(caller, kind))),
  ])
  const looksInPublic = keepLookingInPublic()
  return {
    sent: () => seen.sent.slice(earlier),
    stop: async () => {
      stopping.abort()
      await Promise.all([...loops, looksInPublic])
    },
  }
}

/** Refusals are answered so soon that they would be most of the load. */
const PAUSE_MS = 5

/** A key may read one letter a second. */
const LETTER_PAUSE_MS = 500
const ACT_PAUSE_MS = 100

const KINDS = ['whole', 'stream', 'refused', 'repeated'] as const
type RestlessKind = (typeof KINDS)[number]

/** So many of the latest: each life leaves one. */
const SENT_AGAIN = 3

function unansweredBy({ organisationId }: Caller, sent: readonly Sent[]): string[] {
  const own = sent.filter((one) => one.kind === 'again' && one.organisationId === organisationId)
  return [...new Set(own.filter(({ isWhole }) => !isWhole).map(({ marker }) => marker))].slice(-SENT_AGAIN)
}

const MODELS: Readonly<Record<SentKind, string>> = {
  whole: 'gpt-4.1-mini',
  stream: 'claude-haiku-4-5',
  refused: 'sonar',
  repeated: 'gpt-4.1-mini',
  again: 'gpt-4.1-mini',
}

/** Sends one request and keeps what came back, to the point at which it broke off. */
export async function send(
  target: OperatorTarget,
  caller: Caller,
  kind: SentKind,
  seen: Seen,
  marker = `ask-${crypto.randomUUID()}`,
): Promise<Sent> {
  const content = kind === 'repeated' ? 'The same question again' : `Question ${marker}`
  const body = {
    model: MODELS[kind],
    messages: [{ role: 'user', content }],
    max_completion_tokens: 200,
    ...(kind === 'stream' ? { stream: true } : {}),
    // Its prompt is the same each time, and this is in what the provider gets.
    ...(kind === 'repeated' ? { user: marker } : {}),
  }
  const { organisationId } = caller
  const sent: Sent = {
    organisationId,
    kind,
    marker,
    requestHash: requestHash(body),
    status: null,
    traceId: null,
    text: '',
    isWhole: false,
  }
  seen.sent.push(sent)
  try {
    const response = await fetch(`${target.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${kind === 'repeated' ? caller.loopKey : caller.key}`,
        'content-type': 'application/json',
        'x-request-id': marker,
        ...(kind === 'again' && { 'idempotency-key': marker }),
      },
      body: JSON.stringify(body),
    })
    sent.status = response.status
    sent.traceId = response.headers.get('x-aqta-trace-id')
    const decoder = new TextDecoder()
    const pieces: AsyncIterable<Uint8Array> | null = response.body
    for await (const piece of pieces ?? []) sent.text += decoder.decode(piece, { stream: true })
    sent.isWhole = true
  } catch {
    // The service is gone, or the answer was cut: what came until then stands.
  }
  return sent
}

/** Sends a letter. Returns true if there was an answer. */
async function sendLetter(target: OperatorTarget, { organisationId, letterKey }: Caller, seen: Seen): Promise<boolean> {
  const digits = crypto.randomUUID().replaceAll('-', '')
  const marker = `letter-${Array.from(digits, (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('')}`
  const letter: SentLetter = { organisationId, marker, status: null }
  seen.letters.push(letter)
  try {
    const response = await fetch(`${target.url}/v1/referral/read`, {
      method: 'POST',
      headers: { authorization: `Bearer ${letterKey}`, 'content-type': 'application/json', 'x-request-id': marker },
      body: JSON.stringify({ text: `Dear Doctor, thank you for seeing this man with palpitations. ${marker}` }),
    })
    await response.text()
    letter.status = response.status
    return true
  } catch {
    return false
  }
}

const IssuedSchema = z.object({ id: z.string() })
const ChangedSchema = z.object({ version: z.int() })

/** The operator issues a key or changes a setting, and a key of the organisation changes its policy. Whether there was an answer. */
async function act(
  target: OperatorTarget,
  { organisationId, key, n }: Caller & { n: number },
  seen: Seen,
): Promise<boolean> {
  const path = `/api/operator/organisations/${organisationId}`
  const change = [
    { method: 'POST', path: `${path}/keys`, body: { prefix: 'aqta_', name: 'Of nobody' } },
    { method: 'PATCH', path, body: { requests_per_minute: 30_000 - 1 - (n % 1000) } },
    { method: 'PUT', path: '/api/policies', body: { budget_guard: { day_eur: 1_000_000 - n } } },
  ][n % 3]
  if (change === undefined) return false
  const isPolicy = change.method === 'PUT'
  // A call of a key counts, and leaves no entry beside that of the change.
  if (isPolicy) seen.questions.push({ organisationId })
  try {
    const response = await fetch(`${target.url}${change.path}`, {
      method: change.method,
      headers: { authorization: `Bearer ${isPolicy ? key : target.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(change.body),
    })
    const answer: unknown = await response.json()
    if (response.ok) seen.acts.push({ organisationId, ...madeBy(change.method, answer) })
    return true
  } catch {
    return false
  }
}

function madeBy(method: string, answer: unknown): Omit<Acted, 'organisationId'> {
  if (method === 'POST') return { keyId: IssuedSchema.parse(answer).id }
  const { version } = ChangedSchema.parse(answer)
  return method === 'PUT' ? { policyVersion: version } : { version }
}

/** Asks for the head of the organisation's log. Returns true if there was an answer. */
async function askHead(target: OperatorTarget, { organisationId, key }: Caller, seen: Seen): Promise<boolean> {
  seen.questions.push({ organisationId })
  try {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${target.url}/v1/transparency/sth`, { headers })
    const head: unknown = await response.json()
    if (response.ok) seen.heads.push({ organisationId, head })
    return true
  } catch {
    return false
  }
}

/** Asks for the public log's head. Returns true if there was an answer, such as 503 before the first head. */
async function askPublicHead(target: OperatorTarget, { publicHeads }: Seen): Promise<boolean> {
  try {
    const response = await fetch(`${target.url}/v1/public/transparency/sth`)
    const head: unknown = await response.json()
    if (response.ok) publicHeads.push(head)
    return true
  } catch {
    return false
  }
}

const AttestationSchema = z.custom<JsonObject>((value) => isJsonObject(value))
const AqtaSchema = z.object({ attestation: AttestationSchema }).optional()
const AnswerSchema = z.object({ aqta: AqtaSchema })

/** Every attestation in what came back, each once: of an answer, of each event. An error has only its id. */
export function attestationsIn({ text }: Sent): JsonObject[] {
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []))
  const found = [text, ...events].flatMap((json): JsonObject[] => {
    const answer = json.includes('"attestation"') ? AnswerSchema.safeParse(parseJson(json)).data : undefined
    return answer?.aqta === undefined ? [] : [answer.aqta.attestation]
  })
  return [...new Map(found.map((attestation) => [JSON.stringify(attestation), attestation])).values()]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
