// One object per organisation: the unit in which its calls are decided and recorded. Each method is one turn over one
// SQLite database; errors that callers expect are values.
import { Archive } from './journal/archive.ts'
import { TileFiles } from '../tiles/tile-files.store.ts'
import { TileLevelsStore } from '../tiles/tile-levels.store.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import type { KnownTree } from '../tiles/proofs.ts'
import { Leaving } from './journal/leaving.ts'
import { PublicLogFiles } from '../public-log/files.store.ts'
import { openPublicIndex } from '../public-log/public-index.ts'
import { openPublicLog } from '../public-log/public-log-stub.ts'
import { readAnchorPeriodMs, readConfig } from '../platform/config.ts'
import type { ApprovalId } from '../platform/ids.ts'
import { migrateObject } from '../platform/object-migrations.ts'
import { showApproval, withRecords, type ApprovalWithRecords } from './approvals/read-approvals.ts'
import { AnomalyWatch } from './bias/look-for-anomalies.ts'
import { admit, type Admission, type AdmitRequest } from './admit/admit.ts'
import { admitChat } from './admit/admit-chat.ts'
import { AuditExports } from './audit/audit-exports.ts'
import {
  admitInvalid,
  admitLook,
  admitManage,
  describeChatKey,
  type ChatCall,
  type LogAnswer,
  type ManageCall,
} from './admit/admit-look.ts'
import type { ChatAdmission } from './admit/chat-admission.ts'
import type { ChatCaller } from './admit/check-call.ts'
import { settleChatAndTell } from './admit/budget-alerts.ts'
import { cacheChore } from './admit/cached-chat.ts'
import { choresOf } from './chores.ts'
import { OrganisationCompliance } from './compliance/organisation-compliance.ts'
import { contentChore } from './content/clean-content.ts'
import { OrganisationContent } from './content/organisation-content.ts'
import { DataKeysStore } from './journal/data-keys.store.ts'
import { ErasedStore, type Erased } from './erasure/erased.store.ts'
import { ErasureRun } from './erasure/erasure-run.ts'
import type { ErasureRequest, OwnErasure } from './erasure/erasure-state.store.ts'
import {
  beginIfDue,
  cancelErasure,
  repeatErasure,
  scheduleErasure,
  type ErasureOrder,
  type ErasureCancelled,
  type ErasureScheduled,
} from './erasure/organisation-erasure.ts'
import { turnsUntilSealed } from './erasure/sealed.ts'
import { ExportsStore } from './export/exports.store.ts'
import { findLeftReceipt } from './publish/left-receipts.ts'
import { LogAnchors } from './publish/log-anchors.ts'
import {
  OwnLog,
  type ConsistencyAnswer,
  type EvidenceAnswer,
  type InclusionAnswer,
  type WantedSize,
  type WantedSizes,
} from './journal/own-log.ts'
import type { ChatFacts } from './admit/record-chat.ts'
import { hourCountsDueAt } from './admit/hour-counts.ts'
import type { ChatSettled, ChatSettlement } from './admit/settle-chat.ts'
import { ReceiptSubmitter } from './publish/submit-receipts.ts'
import type { Act } from './acts.ts'
import { ORGANISATION_MIGRATIONS } from './organisation-migrations.ts'
import { isOpenChat } from './journal/state/months.ts'
import { finishCall, keptAnswersOf, NOTHING_AFTER, type AfterCall } from './admit/keep-answer.ts'
import { createTurns, openStores, type Stores, type TakeTurn } from './stores.ts'
import type { Managed } from './managed-object.ts'
import { OverseenObject, type Overseen } from './overseen-object.ts'
import { Upkeep, type Chore } from './upkeep.ts'
import { closingChore } from './usage/close-days.ts'
import { UsageFollower } from './usage/follow-log.ts'
import { deliveryChore } from './webhook/delivery-chore.ts'
import { settleReading, type Settlement, type SettleRequest } from './admit/settle-reading.ts'

export class Organisation extends OverseenObject {
  protected override readonly managed: Managed
  protected override readonly overseen: Overseen
  readonly #stores: Stores
  readonly #archive: Archive
  readonly #ownLog: OwnLog
  readonly #submitter: ReceiptSubmitter
  readonly #anchors: LogAnchors
  readonly #upkeep: Upkeep
  readonly #erasureRun: ErasureRun
  readonly #turn: TakeTurn
  /** Of whoever manages the organisation or looks at it. */
  readonly #openTurn: TakeTurn
  #anchorPeriodMs: number | null = null

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, ORGANISATION_MIGRATIONS)
    const { storage } = ctx
    const ledger = ctx.id.toString()
    const mirror = env.FILES_MIRROR ?? null
    this.#stores = openStores(storage.sql, ledger)
    const { erasure, keys, journal, entries, claims, content, cache, endedApprovals, memberRights, outbox } =
      this.#stores
    const takeStored = createTurns(storage, this.#stores)
    this.#turn = (work) => {
      const done = takeStored(work)
      const now = Date.now()
      if (outbox.messages.takeNew()) this.#upkeep.setAlarm(now)
      if (journal.takeGrowth()) this.#upkeep.ensure(this.#anchors.dueAfter(now), now)
      return done
    }
    this.#openTurn = turnsUntilSealed(this.#turn, erasure)
    const dataKeys = new DataKeysStore(storage.sql, 'ledger')
    const index = () => openPublicIndex(env.PUBLIC_LOG_INDEX, readConfig(env).jurisdictions)
    const log: TiledLog = {
      levels: new TileLevelsStore(storage),
      files: new TileFiles({ bucket: env.FILES, mirror, prefix: `log/${ledger}/tile/` }),
      leaves: { read: (first, count) => entries.readHashes(first, count) },
    }
    const publicFiles = new PublicLogFiles(env.FILES, mirror)
    const kept = { storage, bucket: env.FILES, dataKeys, ledger }
    this.#archive = new Archive({ ...kept, log })
    this.#ownLog = new OwnLog({
      log,
      entries,
      archive: this.#archive,
      findLeft: (attestationId) =>
        findLeftReceipt({ index: index(), publicFiles, log, size: () => journal.state.next }, attestationId),
      isOpen: (position) => isOpenChat(journal.state.months, position),
    })
    const organisationContent = new OrganisationContent({
      ownLog: this.#ownLog,
      journal,
      keys: content,
      answers: keptAnswersOf({ claims, cache }),
      bucket: env.FILES,
      takeTurn: this.#openTurn,
    })
    const openLog = () => openPublicLog(env.PUBLIC_LOG, readConfig(env).jurisdictions)
    this.#submitter = new ReceiptSubmitter({ storage, source: ledger, openLog })
    this.#anchors = new LogAnchors({
      storage,
      journal,
      entries,
      log,
      logId: ledger,
      periodMs: () => (this.#anchorPeriodMs ??= readAnchorPeriodMs(env)),
      openLog,
      takeTurn: this.#turn,
    })
    const [takeTurn, submitter, { levels }] = [this.#turn, this.#submitter, log]
    const erased = { storage, ledger, state: erasure, journal, endedApprovals, levels, submitter, takeTurn }
    this.#erasureRun = new ErasureRun({ env, ...erased })
    const leaving = new Leaving({ ...kept, retire: (before) => journal.retire(before) })
    const usage = new UsageFollower({ sql: storage.sql, journal, archive: this.#archive })
    const anomalies = new AnomalyWatch({ sql: storage.sql, journal, follower: usage, outbox, takeTurn })
    const chores = [
      ...choresOf({
        storage,
        journal,
        keys,
        claims,
        endedApprovals,
        memberRights,
        log,
        leaving,
        submitter,
        outbox,
        usage,
        takeTurn,
      }),
      closingChore({ sql: storage.sql, journal, follower: usage, takeTurn }),
      anomalies.chore(),
      this.#anchors.chore(),
      deliveryChore(env, { outbox, takeTurn }),
      cacheChore(cache, takeTurn),
      contentChore({ storage, bucket: env.FILES, object: ledger, keys: content }),
    ]
    this.#upkeep = new Upkeep(storage, () => this.#dueChores(chores))
    this.managed = { stores: this.#stores, openTurn: this.#openTurn, upkeep: this.#upkeep }
    this.overseen = {
      log,
      archive: this.#archive,
      ownLog: this.#ownLog,
      exports: new ExportsStore(storage.sql),
      content: organisationContent,
      compliance: new OrganisationCompliance({
        sql: storage.sql,
        stores: this.#stores,
        archive: this.#archive,
        ownLog: this.#ownLog,
        log,
        usage,
        anomalies,
        submitter,
        takeTurn: this.#openTurn,
      }),
      usage,
      auditExports: new AuditExports({ kept: { ...kept, log }, journal, takeTurn: this.#openTurn }),
      anomalies,
      anchors: this.#anchors,
      takeTurn: this.#turn,
    }
  }

  admit(request: AdmitRequest): Admission {
    return this.#call((stores, now) => admit(stores, request, now))
  }

  settleReading(request: SettleRequest): Settlement {
    return this.#turn(() => settleReading(this.#stores.journal, request, Date.now()))
  }

  admitChat(facts: ChatFacts): ChatAdmission {
    return this.#call(
      (stores, now) => admitChat(stores, facts, now),
      (now) => this.#submitter.dueAfter(now),
    )
  }

  admitInvalid(caller: ChatCaller): ChatCall {
    return this.#call((stores, now) => admitInvalid(stores, caller, now))
  }

  describeChatKey(caller: ChatCaller): ChatCall {
    return this.#call((stores, now) => describeChatKey(stores, caller, now))
  }

  admitManage(caller: ChatCaller): ManageCall {
    return this.#call((stores, now) => admitManage(stores, caller, now))
  }

  settleChat(settlement: ChatSettlement, after: AfterCall = NOTHING_AFTER): ChatSettled {
    return this.#turn(() => {
      const now = Date.now()
      const settled = settleChatAndTell(this.#stores, settlement, now)
      if (settled.outcome === 'settled') finishCall(this.#stores, after, now)
      return settled
    })
  }

  /** For the key that asked: null where it did not. */
  lookAtApproval(caller: ChatCaller, id: ApprovalId | null): Promise<LogAnswer<ApprovalWithRecords | null>> {
    return this.#look(caller, async () => (id === null ? null : this.#readApproval(id, caller.keyId)))
  }

  readApproval(id: ApprovalId): Promise<ApprovalWithRecords | null> {
    return this.#readApproval(id, null)
  }

  readTreeHead(caller: ChatCaller): Promise<LogAnswer<KnownTree>> {
    return this.#look(caller, async (tree) => tree)
  }

  proveInclusion(caller: ChatCaller, attestationId: string, size: WantedSize): Promise<LogAnswer<InclusionAnswer>> {
    return this.#look(caller, (tree) => this.#ownLog.proveInclusion(tree, attestationId, size))
  }

  proveConsistency(caller: ChatCaller, sizes: WantedSizes): Promise<LogAnswer<ConsistencyAnswer>> {
    return this.#look(caller, (tree) => this.#ownLog.proveConsistency(tree, sizes))
  }

  gatherEvidence(caller: ChatCaller, attestationId: string): Promise<LogAnswer<EvidenceAnswer>> {
    return this.#look(caller, (tree) => this.#ownLog.gatherEvidence(tree, attestationId, Date.now()))
  }

  /** From this moment on every key is refused. */
  scheduleErasure(order: ErasureOrder, act: Act): ErasureScheduled {
    const now = Date.now()
    const scheduled = this.#turn(() => scheduleErasure(this.#stores, order, act, now))
    this.#upkeep.setAlarm(now)
    return scheduled
  }

  cancelErasure(act: Act): ErasureCancelled {
    return this.#turn(() => cancelErasure(this.#stores, act, Date.now()))
  }

  /** Null where there is none. */
  readErasure(): OwnErasure | null {
    return this.#stores.erasure.read()
  }

  /** After a database was taken back: does again what was completed. */
  repeatErasure(request: ErasureRequest, record: string | null): void {
    this.#turn(() => repeatErasure(this.#stores.erasure, request, record))
    this.#upkeep.setAlarm(Date.now())
  }

  /** Of the operator's ledger: takes what was erased, once however often it is told. */
  recordErased(erased: Erased): void {
    this.#turn(() => this.#erased.insert(erased, Date.now()))
    this.#upkeep.setAlarm(Date.now())
  }

  /** Of the operator's ledger: newest first, after `cursor` (an id). */
  listErased(limit: number, cursor: string | undefined): Erased[] {
    return this.#erased.list(limit, cursor)
  }

  findErased(id: string): Erased | null {
    return this.#erased.find(id)
  }

  /** Does the chores that are due; of an organisation that is being erased, the erasure alone. Harmless twice. */
  override async alarm(): Promise<void> {
    const now = Date.now()
    this.#turn(() => beginIfDue(this.#stores.erasure, now))
    await this.#upkeep.wake(now)
  }

  /** Returns the erasure alone while it runs, and nothing once it is completed. */
  #dueChores(chores: readonly Chore[]): readonly Chore[] {
    const erasure = this.#stores.erasure.read()
    if (erasure === null) return chores
    const erase: Chore = {
      failure: 'erasure_not_done',
      dueAt: (now) => (erasure.state === 'running' ? now : erasure.dueAt),
      run: () => this.#erasureRun.advance(),
    }
    return { scheduled: [...chores, erase], running: [erase], completed: [] }[erasure.state]
  }

  /**
   * A turn of a call that counts.
   * @param dueAt when the object is to wake for what was written: where that is no receipt, to count the hour
   */
  #call<T>(
    work: (stores: Stores, now: number) => T,
    dueAt: (now: number) => number = () => hourCountsDueAt(this.#stores.journal) ?? Infinity,
  ): T {
    const now = Date.now()
    const outcome = this.#turn(() => work(this.#stores, now))
    this.#upkeep.ensure(dueAt(now), now)
    return outcome
  }

  /** Any good gateway key of the organisation may look. What it is shown is of the tree of its own turn. */
  async #look<T>(caller: ChatCaller, answer: (tree: KnownTree) => Promise<T>): Promise<LogAnswer<T>> {
    const { tree, look } = this.#call((stores, now) => {
      const admitted = admitLook(stores, caller, now)
      return { look: admitted, tree: stores.journal.tree }
    })
    return look.outcome === 'admitted' ? { ...look, answer: await answer(tree) } : look
  }

  async #readApproval(id: ApprovalId, keyId: string | null): Promise<ApprovalWithRecords | null> {
    const now = Date.now()
    const approval = this.#openTurn(() => showApproval(this.#stores, { id, keyId }, now))
    return approval && withRecords(this.#archive, approval, now)
  }

  get #erased(): ErasedStore {
    return new ErasedStore(this.ctx.storage.sql, this.#stores.journal)
  }
}
