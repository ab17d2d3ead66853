// The Worker that does the work that a chat call cannot do without, and has none of the gateway's logic. It reads and writes JSON,
// hashes, signs, logs, and sends one Durable Object what the gateway sends it. It never checks, decides or counts.
import { createHmac, hash } from 'node:crypto'
import { DurableObject } from 'cloudflare:workers'
import { encodeBase64url } from '../../src/evidence/records/base64.ts'
import { traceIdOf, type UnsignedRecord } from '../../src/evidence/records/attestation-record.ts'
import { attestationIdOf } from '../../src/evidence/records/facts-commitment.ts'
import { importSigningKey, type SigningKey } from '../../src/evidence/records/signing-key.ts'
import type { ChatAdmission } from '../../src/organisation/admit/admission-outcomes.ts'
import type { ClaimAndCacheUpdate } from '../../src/organisation/admit/answer-reuse.ts'
import type { RouteFacts } from '../../src/organisation/admit/choose-routes.ts'
import type { ChatFacts } from '../../src/organisation/admit/record-chat.ts'
import type { ChatSettled, ChatSettlement } from '../../src/organisation/admit/settle-chat.ts'
import { ORGANISATION_MIGRATIONS } from '../../src/organisation/organisation-stores.ts'
import { migrateObject } from '../../src/platform/durable-object.ts'
import { readJsonObject } from '../../src/platform/json.ts'
import { DAY_MS } from '../../src/platform/time.ts'
import { copyAnswer } from './baseline-worker.ts'

type Env = {
  /** The URL of the provider's chat completions; UPSTREAM_KEY is the key to it. */
  UPSTREAM: string
  UPSTREAM_KEY: string
  OBJECT: DurableObjectNamespace<EntryWriter>
  /** The number of objects that the calls are spread over. */
  OBJECTS: number
}

type Admitted = Extract<ChatAdmission, { outcome: 'admitted' }>

const ORGANISATION_ID = 'org_01a2074b-1837-7401-a2c5-4564580f72b2'
const KEY_ID = 'key_01a2074b-184d-786d-adea-f86deb1d43ef'
const MODEL = 'gpt-4.1-mini'
const ROUTE = '/v1/chat/completions'
const PROVIDER_ROUTE: RouteFacts = {
  model: MODEL,
  costEffective: true,
  endpoint: 'openai',
  provider: 'openai',
  dataRegion: 'any',
  upFrontMicroeur: 55,
  inputMicroeur: 55,
  microeurPerMillion: 1_440_000,
}
const ROUTING = { routes: [{ model: MODEL, endpoint: 'openai' }], dataRegion: 'any' } as const
const POLICIES = ['loop_guard', 'model_allowlist', 'rate_limit']
const COST_MICROEUR = 73
const ANSWER_LIMIT_MS = 600_000
const NO_UPDATE: ClaimAndCacheUpdate = { released: null, cached: null }

const NO_HASH = new Uint8Array(32)

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const sha256 = (data: Uint8Array | string): Uint8Array => hash('sha256', data, 'buffer')

let calls = 0
/** Imported by the first call. A promise cannot be shared, because it belongs to its call. */
let signingKey: SigningKey | null = null

export default {
  async fetch(request, env, ctx) {
    const key = request.headers.get('authorization') ?? ''
    createHmac('sha256', ORGANISATION_ID).update(key).digest()
    const text = await request.text()
    const chat = readJsonObject(text)
    signingKey ??= await importSigningKey(new Uint8Array(32))
    const requestId = `req_${crypto.randomUUID()}`
    const caller = { requestId, secretHash: sha256(key), publicKey: signingKey.publicKey }
    const facts = factsOf(text, { ...caller, stream: chat['stream'] === true })

    const object = env.OBJECT.getByName(`necessary-${calls++ % env.OBJECTS}`)
    const { position, factsSha256, record, rate } = await object.admitChat(facts)
    const signature = encodeBase64url(await signingKey.sign(bytesOf(record)))
    const aqta = aqtaOf({ ...record, signature })
    const headers = headersOf({ requestId, record }, rate)

    const provider = new AbortController()
    const stop = (): void => provider.abort()
    request.signal.addEventListener('abort', stop)
    const timer = setTimeout(stop, ANSWER_LIMIT_MS)
    const settle = async (): Promise<void> => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
      log({
        event: 'chat_ended',
        ...logged({ requestId, record }),
        model: MODEL,
        provider: 'openai',
        ended: 'completed',
        attempts: 1,
      })
      await object.settleChat(settlementOf(position, factsSha256), NO_UPDATE)
    }
    const upstream = await fetch(env.UPSTREAM, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${env.UPSTREAM_KEY}` },
      body: JSON.stringify(chat),
      signal: provider.signal,
    })
    log({
      event: 'request',
      ...logged({ requestId, record }),
      method: 'POST',
      route: ROUTE,
      status: 200,
      outcome: 'passed',
    })
    if (facts.stream) {
      const [body, copied] = copyAnswer(upstream)
      ctx.waitUntil(copied.then(settle))
      return new Response(body, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
    }
    const answer = readJsonObject(await upstream.text())
    ctx.waitUntil(settle())
    return new Response(JSON.stringify({ ...answer, aqta }), { headers })
  },
} satisfies ExportedHandler<Env>

type Arrival = Pick<ChatFacts, 'requestId' | 'secretHash' | 'publicKey' | 'stream'>

function factsOf(body: string, arrival: Arrival): ChatFacts {
  const requestHash = sha256(body).toHex()
  return {
    ...arrival,
    model: MODEL,
    routes: [PROVIDER_ROUTE],
    unfitRoutes: [],
    dataRegion: null,
    costEffective: true,
    requestHash,
    loopHash: requestHash,
    content: { bytes: body.length, characters: body.length, texts: 2, images: 0, files: 0, tools: 0 },
    output: { tokens: 512, most: 32_768, choices: 1 },
    useCase: null,
    cohort: null,
    scan: null,
    route: 'createChatCompletion',
    idempotencyKeyHash: null,
    approval: null,
    temperature: 0.2,
    hasDropped: false,
    insteadOf: null,
    keyId: KEY_ID,
    organisationId: ORGANISATION_ID,
  }
}

const settlementOf = (position: number, factsSha256: string): ChatSettlement => ({
  position,
  factsSha256,
  retentionDays: 30,
  ended: 'completed',
  costMicroeur: COST_MICROEUR,
  usage: { inputUncached: 118, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, outputVisible: 21, reasoning: 0 },
  estimated: false,
  upstreamMs: 20,
  finishReason: 'stop',
  errorCause: null,
  servedModel: 'gpt-4.1-mini-2000-01-01',
  isUnreached: false,
})

const aqtaOf = (attestation: UnsignedRecord & { signature: string }) => ({
  trace_id: attestation.trace_id,
  cost_eur: COST_MICROEUR / 1e6,
  provider: 'openai',
  status: 'passed',
  cached: false,
  loop_detected: false,
  served_model: 'gpt-4.1-mini-2000-01-01',
  attestation,
})

type Recorded = { requestId: string; record: UnsignedRecord }

const logged = ({ requestId, record }: Recorded) => ({
  request_id: requestId,
  organisation_id: ORGANISATION_ID,
  key_id: KEY_ID,
  trace_id: record.trace_id,
})

const log = (line: object): void => console.log(JSON.stringify({ level: 'info', ...line }))

const headersOf = ({ requestId, record }: Recorded, rate: Admitted['rate']) => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': 'application/json',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'server-timing': 'organisation;dur=3.0, upstream;dur=20.0, storage;dur=0.0',
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-aqta-attestation-id': record.attestation_id,
  'x-aqta-status': 'passed',
  'x-aqta-trace-id': record.trace_id,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-ratelimit-limit': String(rate.limit),
  'x-ratelimit-remaining': String(rate.remaining),
  'x-ratelimit-reset': String(rate.resetAt),
  'x-request-id': requestId,
})

type Row = {
  kind: string
  outcome: string
  leafHash: Uint8Array
  id: Uint8Array | null
  loop: Uint8Array | null
  settles: number | null
  entry: Uint8Array
  facts: string | null
}

const INSERT = `INSERT INTO entries (
  position, hash, kind, at, expires_at, id, key_id, outcome, loop, microeur, settles, entry, facts
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Writes the gateway's own table of entries, so that its columns, index and triggers cost what they cost there. */
export class EntryWriter extends DurableObject<Env> {
  #next: number

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, ORGANISATION_MIGRATIONS)
    this.#next = ctx.storage.sql.exec<{ next: number }>('SELECT COUNT(*) AS next FROM entries').one().next
  }

  admitChat(facts: ChatFacts): Admitted {
    const { requestHash, publicKey } = facts
    const now = new Date().toISOString()
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex()
    const beside = JSON.stringify({
      at: now,
      bytes: facts.content.bytes,
      content_kinds: ['text'],
      key_id: facts.keyId,
      provider: facts.routes[0].provider,
      reason: null,
      request_id: facts.requestId,
      reserve_microeur: 793,
      retention_days: 30,
      salt,
      stream: facts.stream,
      text_characters: facts.content.characters,
      use_case: null,
      v: 'facts-1',
    })
    const factsSha256 = sha256(`countersign-facts-1\0${beside}`).toHex()
    const attestationId = attestationIdOf(factsSha256)
    const record: UnsignedRecord = {
      v: 1,
      attestation_id: attestationId,
      trace_id: traceIdOf(attestationId),
      org_id: facts.organisationId,
      request_hash: requestHash,
      model: facts.model,
      outcome: 'ALLOWED',
      policy_applied: POLICIES,
      cost_prevented_eur: 0,
      timestamp: now,
      public_key: publicKey,
    }
    const entry = bytesOf(record)
    const position = this.#append({
      kind: 'receipt',
      outcome: 'ALLOWED',
      leafHash: sha256(entry),
      id: Uint8Array.fromHex(attestationId.replaceAll('-', '')),
      loop: Uint8Array.fromHex(requestHash.slice(0, 32)),
      settles: null,
      entry,
      facts: beside,
    })
    const rate = { limit: 30_000, remaining: 29_999, resetAt: 1_795_418_752 }
    const { organisationId } = facts
    const details = {
      ...ROUTING,
      maxTokens: 512,
      cacheInstructions: false,
      cached: null,
      keep: null,
      contentPlace: null,
      isLoop: false,
      answers: null,
    }
    const recorded = { position, record, factsSha256, retentionDays: 30 }
    return { outcome: 'admitted', ...recorded, rate, organisationId, tier: 'enterprise', ...details }
  }

  settleChat(settlement: ChatSettlement, _after: ClaimAndCacheUpdate): ChatSettled {
    const { position: settles, ended: outcome } = settlement
    const row = { kind: 'settlement', outcome, leafHash: NO_HASH, id: null, loop: null, settles, facts: null }
    return { outcome: 'settled', position: this.#append({ ...row, entry: bytesOf(settlement) }), isContentKept: false }
  }

  #append({ kind, outcome, leafHash, id, loop, settles, entry, facts }: Row): number {
    const now = Date.now()
    const position = this.#next++
    const row = [
      position,
      leafHash,
      kind,
      now,
      now + 30 * DAY_MS,
      id,
      KEY_ID,
      outcome,
      loop,
      COST_MICROEUR,
      settles,
      entry,
    ]
    this.ctx.storage.transactionSync(() => this.ctx.storage.sql.exec(INSERT, ...row, facts))
    return position
  }
}
