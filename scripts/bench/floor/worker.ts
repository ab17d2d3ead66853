// The floor: the durable writes of an admitted call, in one call to one Durable Object and one transaction, and a constant
// answer. It parses, checks, hashes and reads nothing, so that what the service costs above it is the service's own doing.
import { DurableObject } from 'cloudflare:workers'
import { LIMITS_SCHEMA } from '../../../src/keys/limits.store.ts'
import { DETAIL_RUNS_SCHEMA } from '../../../src/ledger/details.store.ts'
import { encodeEntry, leafHash } from '../../../src/ledger/entry.ts'
import { LEDGER_SCHEMA } from '../../../src/ledger/ledger.store.ts'
import { TREE_SCHEMA } from '../../../src/ledger/tree.store.ts'
import { DAY_MS, utcDay } from '../../../src/platform/clock.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { keyId, newRequestId, uuidV7Bytes } from '../../../src/platform/ids.ts'

type Last = { last: number }

type Env = {
  FLOOR: DurableObjectNamespace<FloorWrites>
  /** The objects that calls are spread over. */
  OBJECTS: number
  /** The keys that each object counts calls of. */
  SUBJECTS: number
  /** The service's own answers, byte for byte. */
  READ_ANSWER: string
  LISTS_ANSWER: string
}

const HEADERS = { 'content-type': 'application/json' }
let calls = 0

export default {
  async fetch(request, env) {
    const isRead = request.method === 'POST'
    await env.FLOOR.getByName(`floor-${calls++ % env.OBJECTS}`).write(isRead)
    return new Response(isRead ? env.READ_ANSWER : env.LISTS_ANSWER, { headers: HEADERS })
  },
} satisfies ExportedHandler<Env>

export class FloorWrites extends DurableObject<Env> {
  readonly #subjects: string[]
  readonly #entry: Uint8Array
  readonly #hash: Uint8Array
  #calls: number
  #position: number

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [LIMITS_SCHEMA, LEDGER_SCHEMA, TREE_SCHEMA, DETAIL_RUNS_SCHEMA])
    const { sql } = ctx.storage
    this.#calls = sql.exec<Last>('SELECT COALESCE(MAX(n), 0) AS last FROM call_counts').one().last
    this.#position = sql.exec<Last>('SELECT COALESCE(MAX(position), -1) AS last FROM leaves').one().last
    this.#subjects = Array.from({ length: env.SUBJECTS }, () => keyId(uuidV7Bytes(Date.now())))
    this.#entry = encodeEntry('referral_decision', typicalDecision())
    this.#hash = leafHash(this.#entry)
  }

  write(withEntry: boolean): void {
    this.ctx.storage.transactionSync(() => {
      const now = Date.now()
      const subject = this.#subjects[this.#calls % this.#subjects.length] ?? ''
      const n = ++this.#calls
      const { sql } = this.ctx.storage
      sql.exec('INSERT INTO calls (subject, at, n) VALUES (?, ?, ?)', subject, now, n)
      sql.exec(
        'INSERT OR REPLACE INTO call_counts (subject, n, last_at, day, in_day) VALUES (?, ?, ?, ?, ?)',
        subject,
        n,
        now,
        utcDay(now),
        n,
      )
      if (!withEntry) return
      const position = ++this.#position
      sql.exec('INSERT INTO leaves (position, hash) VALUES (?, ?)', position, this.#hash)
      // A leaf completes one subtree at each level that its number, counted from 1, is a multiple of.
      for (let level = 1; (position + 1) % 2 ** level === 0; level++) {
        const index = (position + 1) / 2 ** level - 1
        sql.exec('INSERT INTO tree_nodes (level, position, hash) VALUES (?, ?, ?)', level, index, this.#hash)
      }
      sql.exec(
        'INSERT INTO details (position, kind, at, expires_at, entry) VALUES (?, ?, ?, ?, ?)',
        position,
        'referral_decision',
        now,
        now + 30 * DAY_MS,
        this.#entry,
      )
    })
  }
}

/** Only its size matters: that of an entry of the service. */
const typicalDecision = () => ({
  key_id: keyId(uuidV7Bytes(Date.now())),
  request_id: newRequestId(Date.now()),
  sandbox: true,
  action: 'identify_specialty',
  decision: 'yes',
  status: 200,
  dataset: '0'.repeat(64),
  kind: 'referral_decision',
  at: new Date().toISOString(),
})
