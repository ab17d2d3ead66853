// The one object that writes the public log, of which every organisation's receipts are the leaves. It takes them in, and
// serves what it has by its own alarm; readers do not come here.
import { DurableObject } from 'cloudflare:workers'
import { createSigner, type Signer } from '../../attestation/attestation-keys.ts'
import { configuredKeys } from '../../attestation/configured-keys.ts'
import { systemClock } from '../../platform/clock.ts'
import { readConfig } from '../../platform/config.ts'
import { describeThrown, log } from '../../platform/log.ts'
import { migrateObject } from '../../platform/object-migrations.ts'
import { LEAVES_SCHEMA } from '../leaves.store.ts'
import { TREE_SCHEMA, TreeStore } from '../tree.store.ts'
import { PublicLogFiles } from './files.store.ts'
import { HEADS_SCHEMA, RENEWED_HEAD_SCHEMA } from './heads.store.ts'
import { INTAKE_SCHEMA, IntakeStore } from './intake.store.ts'
import { PROGRESS_SCHEMA } from './progress.store.ts'
import { openPublicIndex } from './public-index.ts'
import { publish, type Published } from './publish.ts'
import type { ReceiptBatch, Taken } from './receipt-batch.ts'
import { MOST_NEW_LEAVES } from './sign-next-head.ts'

/** Applied in order, once each; a step that has been released never changes. */
const MIGRATIONS = [LEAVES_SCHEMA, TREE_SCHEMA, INTAKE_SCHEMA, HEADS_SCHEMA, PROGRESS_SCHEMA, RENEWED_HEAD_SCHEMA]

/** How long the first new leaf waits for others to come under one head: each head stays in the database for good. */
const GATHER_MS = 5000

/** Where a whole head’s leaves wait already. R2 takes one write a second of one name. */
const BACKLOG_MS = 1500

const LONGEST_WAIT_MS = 30_000

const INDEX_RETRY_MS = 10_000

/** Four fifths of what the platform lets an object have. There is one log, and no second one when it is full. */
const NEARLY_FULL_BYTES = 8e9
const NEARLY_FULL_AGAIN_MS = 3_600_000

export class PublicLog extends DurableObject {
  readonly #intake: IntakeStore
  #signer: Signer | null | undefined
  #publishing: Promise<void> | null = null
  /** The alarm this instance knows of. */
  #wakesAt: number | null = null
  #failures = 0
  #toldNearlyFullAt = 0

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, MIGRATIONS)
    this.#intake = new IntakeStore(ctx.storage.sql)
  }

  appendReceipts(batch: ReceiptBatch): Taken {
    const taken = this.ctx.storage.transactionSync(() => this.#intake.take(batch))
    this.#wakeIn(this.#waitMs())
    return taken
  }

  /** For whoever finds no head served, or none that is fresh: there is one afterwards, unless no key signs. */
  async ensureHead(): Promise<void> {
    await this.#publish()
  }

  /** Never throws: what failed is tried again. */
  override async alarm(): Promise<void> {
    this.#wakesAt = null
    await this.#publish()
  }

  /** One at a time; whoever comes meanwhile waits for the same. */
  #publish(): Promise<void> {
    this.#publishing ??= this.#publishOnce().finally(() => {
      this.#publishing = null
    })
    return this.#publishing
  }

  async #publishOnce(): Promise<void> {
    this.#tellIfNearlyFull()
    try {
      this.#conclude(await publish(this.#parts()))
    } catch (thrown) {
      log({ level: 'error', event: 'public_log_failed', ...describeThrown(thrown) })
      this.#retry()
    }
  }

  #conclude(published: Published): void {
    if (published.outcome !== 'published') {
      log({ level: 'error', event: 'public_log_failed', outcome: published.outcome })
      this.#retry()
      return
    }
    const { size, index } = published
    this.#failures = 0
    if (index.refused > 0) log({ level: 'error', event: 'public_log_failed', outcome: 'attestation_logged_twice' })
    if (index.unreachable > 0) {
      log({ level: 'error', event: 'public_log_failed', outcome: 'index_unreachable' })
      this.#wakeIn(INDEX_RETRY_MS)
    }
    const waiting = new TreeStore(this.ctx.storage.sql).size() - size
    if (waiting >= MOST_NEW_LEAVES) this.#wakeIn(BACKLOG_MS)
    else if (waiting > 0 || (!index.isComplete && index.unreachable === 0)) this.#wakeIn(GATHER_MS)
  }

  #tellIfNearlyFull(): void {
    const isTold = Date.now() < this.#toldNearlyFullAt + NEARLY_FULL_AGAIN_MS
    if (isTold || this.ctx.storage.sql.databaseSize <= NEARLY_FULL_BYTES) return
    this.#toldNearlyFullAt = Date.now()
    log({ level: 'error', event: 'public_log_failed', outcome: 'nearly_full' })
  }

  #retry(): void {
    this.#failures += 1
    this.#wakeIn(this.#waitMs())
  }

  /** While it fails, new leaves do not make it try more often. */
  #waitMs(): number {
    return Math.min(GATHER_MS * 2 ** this.#failures, LONGEST_WAIT_MS)
  }

  #wakeIn(waitMs: number): void {
    const at = Date.now() + waitMs
    if (this.#wakesAt !== null && this.#wakesAt <= at) return
    this.#wakesAt = at
    void this.ctx.storage.setAlarm(at)
  }

  #parts() {
    const config = readConfig(this.env)
    if (this.#signer === undefined) {
      const keys = configuredKeys(this.env, config)
      this.#signer = keys && createSigner(keys)
    }
    return {
      storage: this.ctx.storage,
      files: new PublicLogFiles(this.env.FILES),
      index: openPublicIndex(this.env.PUBLIC_LOG_INDEX, config.jurisdictions),
      signer: this.#signer,
      clock: systemClock,
    }
  }
}
