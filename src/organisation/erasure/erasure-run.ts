// Erases an organisation step by step, in its object's alarm. A step that was cut off is repeated. The signed record states what
// a final search found, never what a step counted.
import { configuredKeys, createSigner } from '../../evidence/records/configured-keys.ts'
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import {
  ERASED_CLASSES,
  signErasure,
  type RemainingCounts,
  type UnsignedErasureRecord,
} from '../../evidence/records/erasure-record.ts'
import type { TileLevelsStore } from '../../tiles/tile-levels.store.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import { LogProgressStore } from '../journal/log-progress.store.ts'
import { archivePrefix } from '../journal/archive-object.ts'
import { deleteSomeObjects, listObjects } from '../journal/archive-bucket.store.ts'
import { createMailer } from '../../platform/mail.ts'
import { DAY_MS, withTimeLimit } from '../../platform/time.ts'
import { readConfig } from '../../platform/config.ts'
import { objectOpener } from '../../platform/durable-object.ts'
import { contentPrefix } from '../content/content-object.ts'
import { countDataKeys, destroyDataKeys } from '../journal/data-keys.store.ts'
import type { EndedApprovalsStore } from '../approvals/ended-approvals.store.ts'
import type { Journal } from '../journal/journal.ts'
import { OPERATOR_LOG_NAME } from '../../platform/ids.ts'
import { ChatCostsStore } from '../admit/chat-costs.store.ts'
import { settleOpenChats } from '../admit/settle-chat.ts'
import { settleOpenReadings } from '../admit/admit-referral.ts'
import { oldestOpenAt } from '../journal/state/monthly-usage.ts'
import { oldestOpenDay } from '../journal/state/readings.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { ReceiptSubmitter } from '../publish/submit-receipts.ts'
import { countRows, eraseTables } from './erase-tables.ts'
import { ERASURE_STEPS, requestOf, type ErasureStep, type ErasureProgress } from './erasure.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'
import { ErasuresStore, AccountRowsStore } from './erasures.store.ts'
import { erasureCompletedMail } from './erasure-mails.ts'

/** How long the platform keeps copies from which databases can be restored. */
const RECOVERY_COPIES_MS = 30 * DAY_MS

/** How often a step continues before other tasks have their turn. */
const MOST_ROUNDS = 20

const MAIL_LIMIT_MS = 10_000

type ErasureParts = {
  env: Cloudflare.Env
  storage: DurableObjectStorage
  /** The organisation's name in the names of its R2 objects. */
  objectId: string
  state: ErasureStateStore
  journal: Journal
  endedApprovals: EndedApprovalsStore
  levels: TileLevelsStore
  submitter: ReceiptSubmitter
  takeTurn: TakeTurn
}

export class ErasureRun {
  readonly #parts: ErasureParts
  readonly #erasures: ErasuresStore
  readonly #accountRows: AccountRowsStore
  /** E-mail addresses to notify when the erasure is done. Lost if this instance ends. */
  #owners: readonly string[] = []
  #advancing: Promise<void> | null = null

  constructor(parts: ErasureParts) {
    this.#parts = parts
    this.#erasures = new ErasuresStore(parts.env.DB)
    this.#accountRows = new AccountRowsStore(parts.env.DB)
  }

  /** Continues from the last step; concurrent calls share one run. Rejects if a step fails; it is then retried. */
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
      storage.transactionSync(() =>
        state.change(next === undefined ? { step: null, state: 'completed' } : { step: next }),
      )
    }
  }

  /** Performs one step. Safe to repeat. Returns false if there is more to do. */
  async perform(step: ErasureStep, erasure: ErasureProgress): Promise<boolean> {
    const { storage, journal, endedApprovals, levels, takeTurn } = this.#parts
    switch (step) {
      case 'close':
        // From now on, D1 shows the erasure as running.
        await this.#erasures.index({ ...erasure, state: 'running', record: null })
        return true
      case 'settle':
        return takeTurn(
          () =>
            settleOpenReadings(journal, Date.now()) &&
            settleOpenChats({ journal, endedApprovals, costs: new ChatCostsStore(storage.sql) }, Date.now()),
        )
      case 'publish':
        return this.#publish()
      case 'seal':
        return takeTurn(() => this.#seal())
      case 'data_keys':
        takeTurn(() => destroyDataKeys(storage.sql))
        return true
      case 'sealed_objects':
        return repeatWhileMoreIsLeft(() => this.#deleteSomeSealedObjects())
      case 'details':
        // Memory is cleared first, so that it is never rebuilt from emptied entries.
        takeTurn(() => journal.clear())
        return repeatWhileMoreIsLeft(() =>
          takeTurn(() => new EntriesStore(storage.sql).eraseNext(levels.tiledLeaves())),
        )
      case 'tables':
        takeTurn(() => {
          eraseTables(storage.sql)
          journal.clear()
        })
        return true
      case 'registrations':
        await this.#rememberOwners(erasure)
        await this.#accountRows.eraseOrganisation(erasure.subject)
        return true
      case 'record':
        return this.#record(erasure)
      case 'register':
        return this.#register(erasure)
    }
  }

  /** Returns the name prefixes of the organisation's sealed objects: archived entries and content. */
  #prefixes(): string[] {
    const { objectId } = this.#parts
    return [archivePrefix(objectId), contentPrefix(objectId)]
  }

  /** Deletes some of the sealed objects. Returns true if it found any, so more may be left. */
  async #deleteSomeSealedObjects(): Promise<boolean> {
    const { FILES } = this.#parts.env
    const some = await Promise.all(this.#prefixes().map((prefix) => deleteSomeObjects(FILES, prefix)))
    return some.includes(true)
  }

  /** Returns true if the public log has all receipts. Rejects if it takes none. */
  async #publish(): Promise<boolean> {
    const { storage, submitter } = this.#parts
    const submittedTo = (): number => new LogProgressStore(storage.sql).read().submittedTo
    const before = submittedTo()
    await submitter.submit()
    const isPublished = submitter.oldestWaiting() === null
    if (!isPublished && submittedTo() === before) throw new Error('the public log takes no receipts')
    return isPublished
  }

  /** Seals only if no call is open: one may have been admitted before the request for erasure. */
  #seal(): boolean {
    const { state, journal, submitter } = this.#parts
    const { months, readings } = journal.state
    const isSettled = oldestOpenAt(months) === null && oldestOpenDay(readings) === null
    state.change(isSettled && submitter.oldestWaiting() === null ? { isSealed: true } : { step: 'settle' })
    return state.read()?.isSealed === true
  }

  /** Keeps the known owners if a repeated step finds none. */
  async #rememberOwners({ subject }: ErasureProgress): Promise<void> {
    const owners = await this.#accountRows.listOwners(subject)
    if (owners.length > 0) this.#owners = owners
  }

  /** Signs the record if nothing is left. A record that was signed earlier stays: an erasure may run again after a restore. */
  async #record(erasure: ErasureProgress): Promise<boolean> {
    const { env, state, storage } = this.#parts
    const remaining = await this.#countRemaining(erasure)
    if (Object.values(remaining).some((count) => count > 0)) {
      state.change({ step: ERASURE_STEPS[0] })
      throw new Error('something is left')
    }
    if (erasure.record !== null) return true
    const keys = configuredKeys(env, readConfig(env))
    const key = keys && (await createSigner(keys).keyAt(Date.now()))
    if (key === null) throw new Error('no key signs')
    const record = await signErasure(this.#describe(erasure, remaining, key.publicKey), key)
    const text = canonicalJson(record)
    storage.transactionSync(() => state.change({ record: text }))
    await this.#mailOwners(text)
    return true
  }

  async #countRemaining({ subject }: ErasureProgress): Promise<RemainingCounts> {
    const { env, storage } = this.#parts
    const found = await Promise.all(this.#prefixes().map((prefix) => listObjects(env.FILES, prefix)))
    return {
      sealed_objects: found.flatMap(({ names }) => names).length,
      people: await this.#accountRows.countRemaining(subject),
      data_keys: countDataKeys(storage.sql),
      details: new EntriesStore(storage.sql).countNotErased() + countRows(storage.sql, 'sealed_details'),
      keys: countRows(storage.sql, 'keys'),
    }
  }

  #describe(erasure: ErasureProgress, remaining: RemainingCounts, publicKey: string): UnsignedErasureRecord {
    const { size, root } = this.#parts.journal.tree
    const completedAt = Math.max(Date.now(), erasure.requestedAt)
    return {
      v: 'erasure-1',
      erasure_id: erasure.id,
      org_id: erasure.subject,
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

  /** Mails the owners if mail can be sent. An owner whose mail is lost finds the record at its URL. */
  async #mailOwners(record: string): Promise<void> {
    const { env } = this.#parts
    const mailer = createMailer(readConfig(env).signIn.mail, env.EMAIL)
    const mails = this.#owners.map((to) => mailer.send({ to, ...erasureCompletedMail(record) }))
    await Promise.allSettled(mails.map((mail) => withTimeLimit(mail, MAIL_LIMIT_MS)))
    this.#owners = []
  }

  /** Reports to the operator's log, which stores an erasure once, however often it is reported. */
  async #register(erasure: ErasureProgress): Promise<boolean> {
    const { env } = this.#parts
    const erased = { ...requestOf(erasure), record: erasure.record }
    const open = objectOpener(env.ORGANISATIONS, readConfig(env).jurisdictions)
    const operator = open({ name: OPERATOR_LOG_NAME, isEuropean: true })
    await operator.erasure.recordErased(erased)
    await this.#erasures.index({ ...erased, state: 'completed' })
    return true
  }
}

/** Repeats `work` while it returns true, which means that more is left. Returns false if it still did after MOST_ROUNDS. */
async function repeatWhileMoreIsLeft(work: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) if (!(await work())) return true
  return false
}
