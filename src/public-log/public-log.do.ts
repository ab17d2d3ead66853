// The Durable Object that writes the public log. Organisations send it leaves: their receipts and the anchors of their logs. Its alarm
// publishes the leaves, with a signed head and a checkpoint, as files in R2. Readers use the files.
import { DurableObject } from 'cloudflare:workers'
import { createSigner, type Signer, configuredKeys } from '../evidence/records/configured-keys.ts'
import { systemClock } from '../platform/time.ts'
import { readConfig } from '../platform/config.ts'
import { describeThrown, log, type LogLine } from '../platform/log.ts'
import { openMigrated, type MigrationStep } from '../platform/durable-object.ts'
import { loadLogConfig, type LogConfig } from './public-log-config.ts'
import type { TileCheckResult, TileCheckRequest } from '../tiles/check-tiles.ts'
import { OtherTileError } from '../tiles/tile-files.store.ts'
import { LeafBatchesStore, LEAF_BATCHES_SCHEMA } from './leaf-batches.store.ts'
import { checkPublicTiles, restorePartialTiles } from './public-tiles.ts'
import {
  CosignedStore,
  COSIGNED_SCHEMA,
  PROGRESS_SCHEMA,
  PublishingProgressStore,
} from './publishing-progress.store.ts'
import { PublicLogFiles } from './public-log-files.store.ts'
import { FRESH_MS, MOST_NEW_LEAVES } from './sign-next-head.ts'
import { HeadsStore, HEAD_DAYS_SCHEMA, HEAD_SCHEMA } from './heads.store.ts'
import { IntakeStore, SOURCES_SCHEMA } from './intake.store.ts'
import { openPublicIndex, type PublicLogCalls, type ReceiptBatch, type IntakeProgress } from './public-log.client.ts'
import { publishLeaves, tiledLogOf, type PublishOutcome } from './publish-leaves.ts'
import { serveCheckpoint, type CheckpointOutcome } from './serve-checkpoint.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'

/** The first new leaf waits this long for others to share its head: each head needs its own files. */
const GATHER_MS = 5000

/** The wait if the leaves fill a whole head already. R2 allows one write a second to a name. */
const BACKLOG_MS = 1500

const LONGEST_WAIT_MS = 30_000

/** The wait before a retry of work that delays no head. */
const AFTERWARDS_RETRY_MS = 10_000

const TABLES = [
  TILE_LEVELS_SCHEMA,
  PROGRESS_SCHEMA,
  LEAF_BATCHES_SCHEMA,
  SOURCES_SCHEMA,
  HEAD_SCHEMA,
  HEAD_DAYS_SCHEMA,
  COSIGNED_SCHEMA,
]

function createTables(sql: SqlStorage): void {
  for (const schema of TABLES) sql.exec(schema)
  new PublishingProgressStore(sql).insertFirstRow()
}

/** Migration steps, which run in order, once each. */
const PUBLIC_LOG_MIGRATIONS: readonly MigrationStep[] = [createTables]

export class PublicLog extends DurableObject implements PublicLogCalls {
  /** Throws NewerObjectError where a newer release wrote the object, as all methods do. */
  readonly #opened: () => { storage: DurableObjectStorage; intake: IntakeStore }
  /** Undefined until it is first needed; null without keys. */
  #signer: Signer | null | undefined
  /** Undefined until it is first needed; null without a log key. */
  #log: LogConfig | null | undefined
  /** Publishing, or restoring tiles. Both write files, so only one runs at a time. Never rejects. */
  #fileWork: Promise<void> | null = null
  /** The time of the alarm that this instance set. */
  #wakesAt: number | null = null
  /** How often publishing has failed since it last succeeded. */
  #failures = 0

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    const { storage } = ctx
    const open = () => ({ storage, intake: new IntakeStore(storage.sql) })
    this.#opened = openMigrated(storage, PUBLIC_LOG_MIGRATIONS, open)
  }

  appendReceipts(batch: ReceiptBatch): IntakeProgress {
    const taken = this.ctx.storage.transactionSync(() => this.#opened().intake.take(batch))
    this.#wakeIn(this.#waitMs())
    return taken
  }

  /** Readers call this if no fresh head is served. Afterwards there is one, unless no key can sign. */
  async ensureHead(): Promise<void> {
    await this.#publish()
  }

  /** Readers call this if incomplete tiles are lost or damaged. Rejects if R2 fails. */
  async restorePartialTiles(): Promise<void> {
    while (this.#fileWork !== null) await this.#fileWork
    const restoring = restorePartialTiles(this.#parts())
    void this.#holdFiles(restoring)
    if ((await restoring) > 0) logFailure('edge_restored')
  }

  /** For the operator: compares some tiles in R2 with the tree, and restores them on request. Rejects if R2 fails. */
  checkTiles(wanted: TileCheckRequest): Promise<TileCheckResult> {
    return checkPublicTiles(this.#parts(), wanted)
  }

  /** Never throws: failed work is retried. */
  override async alarm(): Promise<void> {
    this.#wakesAt = null
    await this.#publish()
  }

  /** Publishes, unless file work is running: then waits for that. */
  #publish(): Promise<void> {
    return this.#fileWork ?? this.#holdFiles(this.#publishOnce())
  }

  /** Keeps other file work from starting until this work has ended. */
  #holdFiles(work: Promise<unknown>): Promise<void> {
    const end = (): void => {
      this.#fileWork = null
    }
    this.#fileWork = work.then(end, end)
    return this.#fileWork
  }

  async #publishOnce(): Promise<void> {
    try {
      const published = await publishLeaves(this.#parts())
      this.#conclude(published)
      if (published.outcome === 'published') await this.#serveCheckpoint()
    } catch (thrown) {
      const outcome = thrown instanceof OtherTileError ? 'tile_differs' : undefined
      log({ level: 'error', event: 'public_log_failed', outcome, ...describeThrown(thrown) })
      this.#retry()
    }
  }

  /** Logs what went wrong, and sets the alarm for what is left to do. */
  #conclude(published: PublishOutcome): void {
    if (published.outcome !== 'published') {
      logFailure(published.outcome)
      this.#retry()
      return
    }
    const { size, index, tileStoring } = published
    this.#failures = 0
    if (index.refused > 0) logFailure('attestation_logged_twice')
    if (index.unreachable > 0) this.#fallBehind('index_unreachable')
    if (tileStoring === 'tiles_not_stored' || tileStoring === 'tile_differs') this.#fallBehind(tileStoring)
    const waiting = new LeafBatchesStore(this.ctx.storage.sql).size() - size
    if (waiting >= MOST_NEW_LEAVES || tileStoring === 'more') this.#wakeIn(BACKLOG_MS)
    else if (waiting > 0 || (!index.isComplete && index.unreachable === 0)) this.#wakeIn(GATHER_MS)
  }

  /** With a log key, makes a new checkpoint before the last is a minute old, even without new leaves. */
  async #serveCheckpoint(): Promise<void> {
    const { storage, files, clock } = this.#parts()
    const config = this.#logConfig()
    const head = new HeadsStore(storage.sql).newest()
    if (config === null || head === null) return
    const tiled = tiledLogOf({ storage, files })
    const parts = { log: config, files, tiled, clock, fetch, cosigned: new CosignedStore(storage.sql) }
    const checkpoint = await serveCheckpoint(parts, head)
    logCheckpointOutcome(checkpoint)
    this.#wakeIn(checkpoint.outcome === 'fresh' ? checkpoint.dueAt - Date.now() : FRESH_MS)
  }

  #logConfig(): LogConfig | null {
    this.#log ??= loadLogConfig(this.env, readConfig(this.env))
    return this.#log
  }

  /** Retries work that delays no head, some time later. */
  #fallBehind(outcome: 'index_unreachable' | 'tiles_not_stored' | 'tile_differs'): void {
    logFailure(outcome)
    this.#wakeIn(AFTERWARDS_RETRY_MS)
  }

  /** Retries publishing, later after each failure. */
  #retry(): void {
    this.#failures += 1
    this.#wakeIn(this.#waitMs())
  }

  /** Returns the wait before publishing: longer after failures, so that new leaves do not cause more attempts. */
  #waitMs(): number {
    return Math.min(GATHER_MS * 2 ** this.#failures, LONGEST_WAIT_MS)
  }

  /** Sets the alarm, unless it will ring earlier anyway. */
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
      storage: this.#opened().storage,
      files: new PublicLogFiles(this.env.FILES, this.env.FILES_MIRROR ?? null),
      index: openPublicIndex(this.env.PUBLIC_LOG_INDEX, config.jurisdictions),
      signer: this.#signer,
      clock: systemClock,
    }
  }
}

/** Logs witnesses that did not cosign, for the operator. A missing cosignature delays nothing. */
function logCheckpointOutcome(checkpoint: CheckpointOutcome): void {
  if (checkpoint.outcome === 'overtaken' || checkpoint.outcome === 'no_log_key') {
    logFailure(`checkpoint_${checkpoint.outcome}`)
  }
  if (checkpoint.outcome !== 'served') return
  for (const { witness, outcome } of checkpoint.answers) {
    if (outcome !== 'cosigned') logFailure(`witness_${outcome}`, { witness })
  }
}

const logFailure = (outcome: string, details: Partial<LogLine> = {}): void =>
  log({ level: 'error', event: 'public_log_failed', outcome, ...details })
