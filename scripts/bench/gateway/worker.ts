// What the gateway is compared with, by the setting MODE: a Worker that passes request and answer through; one that also
// carries the answer through JavaScript; and the floor, which makes a chat call's durable writes in two calls to one Durable
// Object, as the gateway does, and passes through: with those of the Merkle tree or, to show what they cost, without. None
// of them checks, counts, translates or signs anything.
import { DurableObject } from 'cloudflare:workers'
import { receiptEntry } from '../../../src/attestation/receipt-entry.ts'
import { describeDecision } from '../../../src/attestation/record.ts'
import { DAY_BEFORE_SCHEMA, LIMITS_SCHEMA, LimitsStore } from '../../../src/keys/limits.store.ts'
import { DETAIL_RUNS_SCHEMA } from '../../../src/ledger/details.store.ts'
import { encodeEntry, leafHash } from '../../../src/ledger/entry.ts'
import { LEDGER_SCHEMA, RECEIPT_FACTS_SCHEMA } from '../../../src/ledger/ledger.store.ts'
import { RECEIPTS_SCHEMA, ReceiptsStore } from '../../../src/ledger/receipts.store.ts'
import { TREE_SCHEMA } from '../../../src/ledger/tree.store.ts'
import { LOOPS_SCHEMA, LoopsStore } from '../../../src/organisation/loops.store.ts'
import { SPENDING_SCHEMA, SpendingStore } from '../../../src/organisation/spending.store.ts'
import { DAY_MS } from '../../../src/platform/clock.ts'
import { keyId, newRequestId, uuidV7Bytes } from '../../../src/platform/ids.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { LOOP_DEFAULTS } from '../../../src/policies/loops.policy.ts'

type Env = {
  MODE: 'pass' | 'enqueue' | 'floor' | 'floor without tree'
  /** The address of the provider's chat completions, and the key to it. */
  UPSTREAM: string
  UPSTREAM_KEY: string
  FLOOR: DurableObjectNamespace<ChatWrites>
  /** The objects that calls are spread over. */
  OBJECTS: number
}

let calls = 0

export default {
  async fetch(request, env, ctx) {
    switch (env.MODE) {
      case 'pass':
        return await forward(request, env)
      case 'enqueue':
        return enqueued(await forward(request, env), ctx)
      case 'floor':
      case 'floor without tree': {
        const object = env.FLOOR.getByName(`floor-${calls++ % env.OBJECTS}`)
        const position = await object.admit(newRequestId(Date.now()))
        const response = await forward(request, env)
        ctx.waitUntil(settle(object, position))
        return response
      }
    }
  },
} satisfies ExportedHandler<Env>

function forward(request: Request, env: Env): Promise<Response> {
  const headers = { authorization: `Bearer ${env.UPSTREAM_KEY}`, 'content-type': 'application/json' }
  return fetch(env.UPSTREAM, { method: 'POST', headers, body: request.body })
}

/** The least a Worker can do that means to see the answer and to go on when its caller has left. */
function enqueued(response: Response, ctx: ExecutionContext): Response {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ctx.waitUntil(pump(reader, controller))
    },
  })
  return new Response(body, response)
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) return controller.close()
    controller.enqueue(read.value)
  }
}

async function settle(object: DurableObjectStub<ChatWrites>, position: number): Promise<void> {
  await object.settle(position)
}

type Count = { count: number }

const SUBJECT = 'organisation'
const RESERVED_MICROEUR = 1500
const COST_MICROEUR = 40
const RETENTION_MS = 365 * DAY_MS

/** What an admitted chat call writes: the same rows by the same statements, with nothing looked up or worked out first. */
export class ChatWrites extends DurableObject<Env> {
  readonly #limits: LimitsStore
  readonly #spending: SpendingStore
  readonly #loops: LoopsStore
  readonly #receipts: ReceiptsStore
  readonly #keyId = keyId(uuidV7Bytes(Date.now()))
  readonly #decision = entryOf('chat_decision', receiptEntry(typicalRecord()), typicalFacts(this.#keyId))
  readonly #settlement = entryOf('settlement', encodeEntry('settlement', TYPICAL_SETTLEMENT), null)
  #calls: number
  #leaves: number

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [
      LIMITS_SCHEMA,
      LEDGER_SCHEMA,
      SPENDING_SCHEMA,
      LOOPS_SCHEMA,
      TREE_SCHEMA,
      RECEIPTS_SCHEMA,
      RECEIPT_FACTS_SCHEMA,
      DETAIL_RUNS_SCHEMA,
      DAY_BEFORE_SCHEMA,
    ])
    this.#limits = new LimitsStore(ctx.storage.sql)
    this.#spending = new SpendingStore(ctx.storage.sql)
    this.#loops = new LoopsStore(ctx.storage.sql)
    this.#receipts = new ReceiptsStore(ctx.storage.sql)
    // An object that nobody has asked for a while is started anew.
    this.#calls = ctx.storage.sql.exec<Count>('SELECT COALESCE(MAX(n), 0) AS count FROM call_counts').one().count
    this.#leaves = ctx.storage.sql.exec<Count>('SELECT COALESCE(MAX(position) + 1, 0) AS count FROM leaves').one().count
  }

  admit(requestId: string): number {
    return this.ctx.storage.transactionSync(() => {
      const at = Date.now()
      const n = ++this.#calls
      const counts = { inWindow: 0, oldestAt: null, inDay: n - 1 }
      this.#limits.insertCall(SUBJECT, { counts, at, n, before: { day: -1, calls: 0 } })
      const request = { hash: requestId.slice(-32), at }
      this.#loops.writeSeen(this.#keyId, request, { n, seen: TYPICAL_SEEN }, at - LOOP_DEFAULTS.repeatWindowMs)
      const position = this.#append(this.#decision, at)
      this.#receipts.insertReceipt(crypto.randomUUID(), position)
      this.#spending.insertReservation({ position, admittedAt: at, microeur: RESERVED_MICROEUR })
      return position
    })
  }

  settle(position: number): void {
    this.ctx.storage.transactionSync(() => {
      const reservation = this.#spending.takeReservation(position)
      if (reservation !== null) this.#spending.spend(reservation, COST_MICROEUR)
      this.#append(this.#settlement, Date.now())
    })
  }

  #append({ kind, bytes, hash, facts }: TypicalEntry, now: number): number {
    const { sql } = this.ctx.storage
    const position = this.#leaves++
    sql.exec('INSERT INTO leaves (position, hash) VALUES (?, ?)', position, hash)
    // A leaf completes one subtree at each level that its number, counted from 1, is a multiple of.
    const levels = this.env.MODE === 'floor' ? 52 : 0
    for (let level = 1; level <= levels && (position + 1) % 2 ** level === 0; level++) {
      const index = (position + 1) / 2 ** level - 1
      sql.exec('INSERT INTO tree_nodes (level, position, hash) VALUES (?, ?, ?)', level, index, hash)
    }
    sql.exec(
      'INSERT INTO details (position, kind, at, expires_at, entry, facts) VALUES (?, ?, ?, ?, ?, ?)',
      position,
      kind,
      now,
      now + RETENTION_MS,
      bytes,
      facts,
    )
    return position
  }
}

type TypicalEntry = { kind: string; bytes: Uint8Array; hash: Uint8Array; facts: string | null }

const entryOf = (kind: string, bytes: Uint8Array, facts: object | null): TypicalEntry => ({
  kind,
  bytes,
  hash: leafHash(bytes),
  facts: facts && JSON.stringify(facts),
})

// Of these only the sizes matter: those of the gateway's own rows.

const TYPICAL_SEEN = {
  recent: Array.from({ length: 19 }, () => ({ hash: '0'.repeat(32), at: Date.UTC(2026, 0, 1) })),
  sameAt: [Date.UTC(2026, 0, 1)],
  active: [],
}

const typicalRecord = () =>
  describeDecision(
    {
      attestationId: crypto.randomUUID(),
      traceId: `tr_${'0'.repeat(32)}`,
      organisationId: `org_${crypto.randomUUID()}`,
      requestHash: '0'.repeat(64),
      model: 'gpt-4.1-mini',
      outcome: 'ALLOWED',
      policies: ['loop_guard', 'model_allowlist', 'rate_limit'],
      costPreventedMicroeur: 0,
      decidedAt: Date.now(),
    },
    '0'.repeat(43),
  )

const typicalFacts = (key: string) => ({
  reason: null,
  key_id: key,
  request_id: newRequestId(Date.now()),
  provider: 'openai',
  stream: false,
  content_kinds: ['text'],
  bytes: 400,
  reserve_microeur: RESERVED_MICROEUR,
  use_case: null,
})

const TYPICAL_SETTLEMENT = {
  settles: 1000,
  ended: 'completed',
  cost_microeur: COST_MICROEUR,
  estimated: false,
  usage: { input_uncached: 100, cache_read: 0, cache_write: 0, output_visible: 20, reasoning: 0 },
  upstream_ms: 20,
  finish_reason: 'stop',
  error_cause: null,
  kind: 'settlement',
  at: '2026-01-01T00:00:00.000Z',
}
