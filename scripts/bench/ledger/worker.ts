// An object with a ledger of its own, worked from outside: it appends entries as the service does, with the tree and without
// it, and proves them. Each append is a transaction of its own, and a call makes many, so that the call costs little. Records
// are signed and checked in the Worker.
import { DurableObject } from 'cloudflare:workers'
import { DETAIL_RUNS_SCHEMA } from '../../../src/ledger/details.store.ts'
import { encodeEntry, leafHash } from '../../../src/ledger/entry.ts'
import { LEDGER_SCHEMA, LedgerStore, RECEIPT_FACTS_SCHEMA } from '../../../src/ledger/ledger.store.ts'
import { RECEIPTS_SCHEMA, ReceiptsStore } from '../../../src/ledger/receipts.store.ts'
import { TREE_SCHEMA, TreeStore } from '../../../src/ledger/tree.store.ts'
import { newRequestId } from '../../../src/platform/ids.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { typicalCall } from './chat-call.ts'
import { BenchPublicLog, PUBLIC_LOG_SCHEMAS } from './public-log-worker.ts'
import { sealBatches } from './sealing.ts'
import { prepareSignatures } from './signatures.ts'
import { LEDGER_WORK, SEALING, SIGNATURE_WORK, type LedgerWork } from './work.ts'

type Env = { LEDGER: DurableObjectNamespace<BenchLedger> }

let signatures: ReturnType<typeof prepareSignatures> | undefined

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    const [wanted, times] = [searchParams.get('work'), Number(searchParams.get('times'))]
    const signature = SIGNATURE_WORK.find((name) => name === wanted)
    if (signature !== undefined) {
      const once = (await (signatures ??= prepareSignatures()))[signature]
      for (let n = 0; n < times; n++) await once()
      return Response.json({ leaves: 0, bytes: 0 })
    }
    if (wanted === SEALING) return Response.json(await sealBatches(times))
    const work = LEDGER_WORK.find((name) => name === wanted)
    if (work === undefined) return new Response(null, { status: 404 })
    return Response.json(await env.LEDGER.getByName(pathname).work(work, times))
  },
} satisfies ExportedHandler<Env>

export class BenchLedger extends DurableObject<Env> {
  readonly #ledger: LedgerStore
  readonly #tree: TreeStore
  readonly #receipts: ReceiptsStore
  readonly #publicLog: BenchPublicLog

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrateObject(ctx.storage, [
      LEDGER_SCHEMA,
      TREE_SCHEMA,
      RECEIPTS_SCHEMA,
      RECEIPT_FACTS_SCHEMA,
      DETAIL_RUNS_SCHEMA,
      ...PUBLIC_LOG_SCHEMAS,
    ])
    this.#ledger = new LedgerStore(ctx.storage.sql)
    this.#tree = new TreeStore(ctx.storage.sql)
    this.#receipts = new ReceiptsStore(ctx.storage.sql)
    this.#publicLog = new BenchPublicLog(ctx.storage.sql)
  }

  /** Does it so many times; the answer is how many leaves and bytes there are then. */
  work(work: LedgerWork, times: number): { leaves: number; bytes: number } {
    const size = this.#tree.size()
    for (let n = 0; n < times; n++) this.#once(work, size)
    return { leaves: this.#tree.size(), bytes: this.ctx.storage.sql.databaseSize }
  }

  #once(work: LedgerWork, size: number): void {
    switch (work) {
      case 'append':
        this.ctx.storage.transactionSync(() => this.#ledger.appendEntry(KIND, typicalDecision(), Date.now()))
        return
      case 'bare':
        this.ctx.storage.transactionSync(() => this.#appendBare())
        return
      case 'call':
        this.#appendCall(Date.now())
        return
      case 'kept':
        this.ctx.storage.transactionSync(() => this.#appendKept())
        return
      case 'public leaf':
      case 'public head':
        this.ctx.storage.transactionSync(() => this.#appendPublic(work))
        return
      case 'head':
        this.#tree.rootAt(size)
        return
      case 'inclusion':
        this.#tree.inclusionProof(Math.floor(Math.random() * size), size)
        return
      case 'consistency':
        this.#tree.consistencyProof(1 + Math.floor(Math.random() * size), size)
    }
  }

  #appendBare(): void {
    const entry = encodeEntry(KIND, typicalDecision())
    const position = this.#appendLeaf(leafHash(entry))
    this.ctx.storage.sql.exec(
      'INSERT INTO details (position, kind, at, expires_at, entry, facts) VALUES (?, ?, ?, ?, ?, NULL)',
      position,
      KIND,
      Date.now(),
      Date.now(),
      entry,
    )
  }

  #appendCall(now: number): void {
    const { attestationId, record, facts, settlement } = typicalCall(this.#tree.size(), now)
    this.ctx.storage.transactionSync(() => {
      this.#receipts.insertReceipt(attestationId, this.#ledger.appendReceipt(record, facts, now, RETENTION_DAYS))
    })
    this.ctx.storage.transactionSync(() => this.#ledger.appendEntry('settlement', settlement, now, RETENTION_DAYS))
  }

  #appendKept(): void {
    for (const isReceipt of [true, false]) {
      const hash = crypto.getRandomValues(new Uint8Array(32))
      const position = this.#appendLeaf(hash)
      this.#tree.append(position, hash)
      if (isReceipt) this.#receipts.insertReceipt(crypto.randomUUID(), position)
    }
  }

  #appendPublic(work: 'public leaf' | 'public head'): void {
    const position = this.#tree.size()
    this.#publicLog.appendReceipt(position)
    if (work === 'public head') this.#publicLog.insertHead(position + 1)
  }

  #appendLeaf(hash: Uint8Array): number {
    const { position } = this.ctx.storage.sql
      .exec<{ position: number }>(
        'INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), ? FROM leaves RETURNING position',
        hash,
      )
      .one()
    return position
  }
}

const KIND = 'referral_decision'
const RETENTION_DAYS = 365
const KEY_ID = `key_${'0'.repeat(36)}`

/** Of the size of an entry of the service. */
const typicalDecision = () => ({
  key_id: KEY_ID,
  request_id: newRequestId(Date.now()),
  sandbox: true,
  action: 'identify_specialty',
  decision: 'yes',
  status: 200,
  dataset: '0'.repeat(64),
  kind: KIND,
  at: new Date().toISOString(),
})
