// Erases an organisation, step by step, in its object's alarm. Each step may be cut off anywhere and is then done again; what
// is signed in the end is what was found when all was looked for again, never what some step has counted.
import type { Signer } from '../../attestation/attestation-keys.ts'
import { canonicalJson } from '../../attestation/canonical-json.ts'
import {
  ERASED_CLASSES,
  signErasure,
  type Remaining,
  type UnsignedErasureRecord,
} from '../../attestation/erasure-record.ts'
import { deleteSealedObjects, listSealedObjects } from '../../ledger/sealed-object.ts'
import type { Mailer } from '../../mail/mailer.ts'
import { DAY_MS } from '../../platform/clock.ts'
import { withinTime } from '../../platform/time-limit.ts'
import type { DataKeysStore } from '../data-keys.store.ts'
import type { Journal } from '../journal.ts'
import type { TakeTurn } from '../stores.ts'
import { ERASURE_STEPS, type ErasureStep } from './erasure-steps.ts'
import { countEntries, countRows, eraseEntries, eraseTables } from './erased-tables.ts'
import type { Erased } from './erased.store.ts'
import type { ErasureStateStore, OwnErasure } from './erasure-state.store.ts'
import type { ErasuresStore } from './erasures.store.ts'
import { erasureCompleted } from './erasure-mails.ts'
import type { RegisteredStore } from './registered.store.ts'

/** How long the platform keeps copies of databases from which they can be taken back. */
export const RECOVERY_COPIES_MS = 30 * DAY_MS

/** How often a step that goes on is gone on with before others have their turn. */
const MOST_ROUNDS = 20

const MAIL_LIMIT_MS = 10_000

export type ErasureParts = {
  storage: DurableObjectStorage
  bucket: Pick<R2Bucket, 'list' | 'delete'>
  /** Names the organisation in the names of its objects. */
  ledger: string
  state: ErasureStateStore
  dataKeys: DataKeysStore
  journal: Journal
  /** How many leaves are in stored tiles. */
  tiledLeaves: () => number
  index: ErasuresStore
  registered: RegisteredStore
  takeTurn: TakeTurn
  /** Settles what is open, in steps. False while there is more. */
  settleOpen: (now: number) => boolean
  /** Hands receipts to the public log. False while it has not got all of them. Rejects where it does not take any. */
  submitAll: () => Promise<boolean>
  /** Whether a call is open, or a receipt is not handed over. */
  hasOpen: () => boolean
  signer: () => Signer | null
  mailer: () => Mailer
  /** Tells the operator's ledger, once however often it is told. */
  tellOperator: (erased: Erased) => Promise<void>
}

export class ErasureRun {
  readonly #parts: ErasureParts
  /** Whom to tell when it is done. Known until this instance ends. */
  #owners: readonly string[] = []
  #advancing: Promise<void> | null = null

  constructor(parts: ErasureParts) {
    this.#parts = parts
  }

  /** Goes on from where it was, once at a time. Rejects where a step fails; it is then tried again. */
  advance(): Promise<void> {
    this.#advancing ??= this.#advance().finally(() => {
      this.#advancing = null
    })
    return this.#advancing
  }

  async #advance(): Promise<void> {
    const { state, storage } = this.#parts
    for (let erasure = state.read(); erasure?.state === 'running'; erasure = state.read()) {
      const step = ERASURE_STEPS.find((name) => name === erasure?.step) ?? ERASURE_STEPS[0]
      if (!(await this.perform(step, erasure))) return
      const next = ERASURE_STEPS[ERASURE_STEPS.indexOf(step) + 1]
      storage.transactionSync(() => (next === undefined ? state.complete() : state.writeStep(next)))
    }
  }

  /** Harmless to do again. False while there is more of it. */
  async perform(step: ErasureStep, erasure: OwnErasure): Promise<boolean> {
    const { storage, bucket, ledger, dataKeys, registered, takeTurn } = this.#parts
    switch (step) {
      case 'close':
        await this.#parts.index.index(erasure, 'running')
        return true
      case 'settle':
        return takeTurn(() => this.#parts.settleOpen(Date.now()))
      case 'publish':
        return this.#parts.submitAll()
      case 'seal':
        return takeTurn(() => this.#seal())
      case 'data_keys':
        takeTurn(() => dataKeys.destroyAll())
        return true
      case 'sealed_objects':
        return repeat(async () => deleteSealedObjects(bucket, ledger))
      case 'details':
        // What is held must not be read again from entries that say nothing any more.
        takeTurn(() => this.#parts.journal.clear())
        return repeat(() => takeTurn(() => eraseEntries(storage.sql, this.#parts.tiledLeaves())))
      case 'tables':
        takeTurn(() => {
          eraseTables(storage.sql)
          this.#parts.journal.clear()
        })
        return true
      case 'registrations':
        await this.#rememberOwners(erasure)
        await registered.eraseOrganisation(erasure.organisationId)
        return true
      case 'record':
        return this.#record(erasure)
      case 'register':
        return this.#register(erasure)
    }
  }

  /** Nothing may have come since: a call that was admitted before the erasure was asked for. */
  #seal(): boolean {
    const { state, hasOpen } = this.#parts
    if (hasOpen()) state.writeStep('settle')
    else state.seal()
    return state.read()?.isSealed === true
  }

  /** Done again, there is nobody left to be found. */
  async #rememberOwners({ organisationId }: OwnErasure): Promise<void> {
    const owners = await this.#parts.registered.listOwners(organisationId)
    if (owners.length > 0) this.#owners = owners
  }

  /** A record that was signed before stands: of an erasure that is done again after a database was taken back. */
  async #record(erasure: OwnErasure): Promise<boolean> {
    const { state, signer, storage } = this.#parts
    const remaining = await this.#lookAgain(erasure)
    if (Object.values(remaining).some((count) => count > 0)) {
      state.writeStep(ERASURE_STEPS[0])
      throw new Error('something is left')
    }
    if (erasure.record !== null) return true
    const key = (await signer()?.keyAt(Date.now())) ?? null
    if (key === null) throw new Error('no key signs')
    const record = await signErasure(this.#describe(erasure, remaining, key.publicKey), key)
    const text = canonicalJson(record)
    storage.transactionSync(() => state.writeRecord(text))
    await this.#tellOwners(text)
    return true
  }

  async #lookAgain({ organisationId }: OwnErasure): Promise<Remaining> {
    const { storage, bucket, ledger, dataKeys, registered } = this.#parts
    return {
      sealed_objects: (await listSealedObjects(bucket, ledger)).length,
      people: await registered.countLeft(organisationId),
      data_keys: dataKeys.count(),
      details: countEntries(storage.sql) + countRows(storage.sql, 'sealed_details'),
      keys: countRows(storage.sql, 'keys'),
    }
  }

  #describe(erasure: OwnErasure, remaining: Remaining, publicKey: string): UnsignedErasureRecord {
    const { size, root } = this.#parts.journal.tree
    const completedAt = Math.max(Date.now(), erasure.requestedAt)
    return {
      v: 'erasure-1',
      erasure_id: erasure.id,
      org_id: erasure.organisationId,
      requested_at: new Date(erasure.requestedAt).toISOString(),
      completed_at: new Date(completedAt).toISOString(),
      removed: ERASED_CLASSES,
      remaining,
      recovery_copies_until: new Date(completedAt + RECOVERY_COPIES_MS).toISOString(),
      tree_size: size,
      root_hash: root.toHex(),
      public_key: publicKey,
    }
  }

  /** As far as mail leaves: whoever loses theirs finds the record at its address. */
  async #tellOwners(record: string): Promise<void> {
    const mailer = this.#parts.mailer()
    const mails = this.#owners.map((to) => mailer.send({ to, ...erasureCompleted(record) }))
    await Promise.allSettled(mails.map((mail) => withinTime(mail, MAIL_LIMIT_MS)))
    this.#owners = []
  }

  async #register(erasure: OwnErasure): Promise<boolean> {
    const { id, organisationId: subject, jurisdiction, requestedBy, requestedAt, dueAt, record } = erasure
    await this.#parts.tellOperator({ id, subject, jurisdiction, requestedBy, requestedAt, dueAt, record })
    await this.#parts.index.index(erasure, 'completed', record)
    return true
  }
}

/** Whether it came to its end. */
async function repeat(work: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) if (!(await work())) return true
  return false
}
