// The service with points at which it stops: its own code, unchanged, and around it a Worker that counts how often each
// step was reached. At an armed one the process is killed from outside, the object aborted, or its storage fails.
import type { RpcTarget } from 'cloudflare:workers'
import type { IndexEntry, ReceiptBatch } from '../../../../../src/public-log/public-log.client.ts'
import { ApprovalsTarget } from '../../../../../src/organisation/approvals/approvals.target.ts'
import type { AdmitRequest, SettleRequest } from '../../../../../src/organisation/admit/admit-referral.ts'
import { ErasureRun } from '../../../../../src/organisation/erasure/erasure-run.ts'
import type { OwnErasure } from '../../../../../src/organisation/erasure/erasure.ts'
import type { ErasureStep } from '../../../../../src/organisation/erasure/erasure.ts'
import { readMemory, replay } from '../../../../../src/organisation/journal/memory.ts'
import type { ChatFacts } from '../../../../../src/organisation/admit/record-chat.ts'
import { SnapshotsStore } from '../../../../../src/organisation/journal/snapshots.store.ts'
import { WHOLE_ORGANISATION } from '../../../../../src/organisation/journal/state/calls.ts'
import { listOpen } from '../../../../../src/organisation/journal/state/months.ts'
import { listDays, listOpenReadings } from '../../../../../src/organisation/journal/state/readings.ts'
import { differences } from '../../../../../src/organisation/journal/state/snapshot.ts'
import { checkUsage } from '../../../../../src/organisation/usage/check-usage.ts'
import { KeysTarget } from '../../../../../src/organisation/keys/keys.target.ts'
import { PolicyTarget } from '../../../../../src/organisation/policy/policy.target.ts'
import { SettingsTarget } from '../../../../../src/organisation/settings/settings.target.ts'
import {
  ALARM_PATH,
  CHECK_PATH,
  DATABASE_PATH,
  KILL_LINE,
  MIRROR_FOLDER,
  StatementSchema,
  type Arm,
  type Deed,
  type Step,
  type Told,
  type Verb,
  type Write,
} from '../steps.ts'
import { crash, failure, reach, report } from './arms.ts'
import { keepingBucket, stoppingDatabase } from './stopping-storage.ts'
import service, {
  Organisation as ServiceOrganisation,
  PublicLog as ServicePublicLog,
  PublicLogIndex as ServicePublicLogIndex,
} from '../../../../../src/worker.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS'> & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

const now = Date.now
Date.now = () => now() + crash.clockAheadMs

// Failures here are made on purpose, so they are not printed.
console.error = () => {}

/** Steps within turns, from where nobody can be told: told by the next request. */
const untold: Arm[] = []

/** Some seconds of computing: a turn is to be killed before it is over. */
function compute(): void {
  for (let round = 0; round < 4e9; round += 1);
}

type Failure = Extract<Arm, { action: 'fail' }>

/** The one an object is in; `statements`: executed so far in its transactions. What fails beside them fails no call. */
type Turn = { readonly verb: Verb; statements: number; failed: Failure | null }

/** Stops an object and fails its storage. Each arm acts once, in the first turn of its verb that gets far enough. */
class Stops {
  readonly #ctx: DurableObjectState
  /** Those whose time has come, and no turn has come as far. */
  readonly #armed: Failure[] = []
  readonly #writes: readonly (readonly [write: Write, isOne: IsWrite])[]
  /** While what the object holds is asked for, which reads it too, nothing fails. */
  isAsked = false
  #turn: Turn | null = null
  #isInTransaction = false

  /** Before anybody else has the object's storage. */
  constructor(ctx: DurableObjectState, writes: readonly (readonly [write: Write, isOne: IsWrite])[] = []) {
    this.#ctx = ctx
    this.#writes = writes
    const { storage } = ctx
    const transact = storage.transactionSync.bind(storage)
    const execute = storage.sql.exec.bind(storage.sql)
    const setAlarm = storage.setAlarm.bind(storage)
    replace(storage, 'transactionSync', (work: () => unknown) =>
      transact(() => {
        this.#isInTransaction = true
        try {
          const answer = work()
          this.#failAt(null)
          return answer
        } finally {
          this.#isInTransaction = false
        }
      }),
    )
    replace(storage.sql, 'exec', (query: string, ...bindings: unknown[]) => {
      if (this.#turn !== null && this.#isInTransaction) this.#failAt((this.#turn.statements += 1))
      const answer = execute(query, ...bindings)
      this.#stopAfter(query, bindings)
      return answer
    })
    // The machine's own time, and less of it.
    replace(storage, 'setAlarm', (at: number) => setAlarm(now() + (at - Date.now()) / crash.alarmSpeed))
  }

  #failAt(statement: number | null): void {
    const turn = this.#turn
    if (turn === null || turn.failed !== null) return
    const at = this.#armed.findIndex((arm) => arm.statement === statement && arm.step === `${turn.verb}:before`)
    const [arm] = at === -1 ? [] : this.#armed.splice(at, 1)
    if (arm === undefined) return
    turn.failed = arm
    throw failure()
  }

  /** The statement is executed, and nothing of its transaction is on disk. Memory may be read outside of one too. */
  #stopAfter(query: string, bindings: readonly unknown[]): void {
    const write = this.#writes.find(([, isOne]) => isOne(query, bindings))?.[0]
    if (write === undefined || this.isAsked || (write !== 'recall' && !this.#isInTransaction)) return
    const arm = reach(`${write}:during`)
    if (arm === null) return
    if (arm.action === 'kill') {
      console.log(KILL_LINE)
      for (;;) compute()
    }
    untold.push(arm)
    if (arm.action === 'abort') this.#ctx.abort(`aborted at ${arm.step}`)
    throw failure()
  }

  async at(step: Step): Promise<Arm | null> {
    const arm = reach(step)
    if (arm === null) return null
    if (arm.action !== 'fail') await report(arm)
    if (arm.action === 'abort') this.#ctx.abort(`aborted at ${step}`)
    return arm
  }

  /** Before something outside of turns that may be told to fail. */
  async orFail(step: Step): Promise<void> {
    const arm = await this.at(step)
    if (arm?.action !== 'fail') return
    await report(arm)
    throw failure()
  }

  /** Before a turn, within it and after it. */
  async around<T>(verb: Verb, turn: () => T | Promise<T>): Promise<T> {
    const before = await this.at(`${verb}:before`)
    const during = await this.at(`${verb}:during`)
    if (before?.action === 'fail') this.#armed.push(before)
    const taken: Turn = { verb, statements: 0, failed: null }
    try {
      const answer = await this.#take(taken, turn, during !== null)
      await this.at(`${verb}:after`)
      return answer
    } finally {
      // Told when it came about: what was only armed may still be waiting for a turn that comes as far.
      if (taken.failed !== null) await report(taken.failed)
    }
  }

  #take<T>(taken: Turn, turn: () => T, isHeld: boolean): T {
    this.#turn = taken
    try {
      const answer = turn()
      if (isHeld) compute()
      return answer
    } finally {
      this.#turn = null
    }
  }
}

type IsWrite = (query: string, bindings: readonly unknown[]) => boolean

const has =
  (text: string): IsWrite =>
  (query) =>
    query.includes(text)

const WRITES_OF_ORGANISATION = [
  ['snapshot', (query, [name]) => query.includes('INSERT INTO snapshots') && name === 'newest'],
  ['shelve', has('INSERT INTO tile_levels')],
  ['plan', has('INSERT INTO sealed_details')],
  ['leave', has('UPDATE sealed_details')],
  ['unlist', has('DELETE FROM sealed_details')],
  ['recall', has('state FROM snapshots')],
  ['deliver', has('body = NULL, ended = ?')],
] as const satisfies readonly (readonly [Write, IsWrite])[]

const WRITES_OF_PUBLIC_LOG = [['unload', has('INSERT INTO tile_levels')]] as const satisfies readonly (readonly [
  Write,
  IsWrite,
])[]

function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value })
}

/** By the feature of an organisation's object. */
const stopsOf = new WeakMap<RpcTarget, Stops>()

export class Organisation extends ServiceOrganisation {
  readonly stops: Stops
  /** One alarm at a time, as it always is: those that are asked for from outside wait for their turn. */
  alarms: Promise<void> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const stops = new Stops(ctx, WRITES_OF_ORGANISATION)
    super(ctx, {
      ...env,
      FILES: stoppingBucket(env.FILES, stops, { put: deedOfOrganisation, delete: 'purge' }),
      FILES_MIRROR: stoppingBucket(mirrorIn(env.FILES), stops, { put: () => 'store_mirror', delete: 'purge' }),
    })
    this.stops = stops
    for (const target of [this.approvals, this.keys, this.policy, this.settings]) stopsOf.set(target, stops)
  }

  /** Returns the state in memory, and the state that a start would read. */
  async tell(): Promise<Told> {
    this.stops.isAsked = true
    try {
      return await this.#tell()
    } finally {
      this.stops.isAsked = false
    }
  }

  async #tell(): Promise<Told> {
    const { sql } = this.ctx.storage
    const { state } = readMemory(sql)
    const rebuilt = replay(sql, new SnapshotsStore(sql).find('oldest'))
    return {
      differences: (await this.log.checkState()).differences,
      differencesAtStart: differences(state, rebuilt.state),
      usageDifferences: await this.#differingCounts(),
      next: state.next,
      months: this.usage.read().months,
      open: listOpen(state.months, Infinity, Infinity).map(({ position, microeur }) => ({ position, microeur })),
      readings: listOpenReadings(state.readings, Infinity).map(({ position, microeur }) => ({ position, microeur })),
      days: listDays(state.readings),
      settingsVersion: state.settings.version,
      policyVersion: state.policy.version,
      approvals: Array.from(state.approvals.values(), ({ approval_id: id, state: of }) => ({ id, state: of })),
      today: state.calls.get(WHOLE_ORGANISATION)?.today ?? { day: 0, calls: 0 },
    }
  }

  async #differingCounts(): Promise<string[]> {
    const { sql, stores, turns, archive, usage: follower } = this.parts
    return (await checkUsage({ sql, journal: stores.journal, archive, follower, takeTurn: turns.take })).differences
  }

  /** Only an object's own alarm wakes it otherwise. */
  async wake(): Promise<void> {
    await this.alarm()
  }
}

// Defined here and not as methods of the class, since the service's own answer at once.
replace(Organisation.prototype, 'admitChat', async function (this: Organisation, facts: ChatFacts) {
  const admission = await this.stops.around('admit', () => ServiceOrganisation.prototype.admitChat.call(this, facts))
  if (['model_not_allowed', 'policy_blocked', 'approval_required'].includes(admission.outcome))
    await this.stops.at('block:after')
  if (admission.outcome === 'loop_detected') await this.stops.at('suppress:after')
  return admission
})
replace(
  Organisation.prototype,
  'settleChat',
  async function (this: Organisation, ...settling: Parameters<ServiceOrganisation['settleChat']>) {
    return this.stops.around('settle', () => ServiceOrganisation.prototype.settleChat.apply(this, settling))
  },
)
replace(Organisation.prototype, 'admit', async function (this: Organisation, request: AdmitRequest) {
  return this.stops.around('read', () => ServiceOrganisation.prototype.admit.call(this, request))
})
replace(Organisation.prototype, 'settleReading', async function (this: Organisation, request: SettleRequest) {
  return this.stops.around('account', () => ServiceOrganisation.prototype.settleReading.call(this, request))
})

/** Each feature is a target of its own, which calls reach by itself: so it must know the stops of its object. */
function stopAround<Target extends RpcTarget>(
  { prototype }: { prototype: Target },
  name: keyof Target & string,
  verb: Verb,
): void {
  const method: unknown = prototype[name]
  replace(prototype, name, async function (this: Target, ...given: unknown[]) {
    if (typeof method !== 'function') throw new TypeError(`a target has no method ${name}`)
    const turn = (): unknown => Reflect.apply(method, this, given)
    return stopsOf.get(this)?.around(verb, turn) ?? turn()
  })
}

stopAround(SettingsTarget, 'change', 'change')
stopAround(PolicyTarget, 'change', 'change')
stopAround(ApprovalsTarget, 'decide', 'decide')
stopAround(KeysTarget, 'issue', 'issue')
replace(Organisation.prototype, 'alarm', async function (this: Organisation) {
  const alarm = () => this.stops.around('alarm', () => ServiceOrganisation.prototype.alarm.call(this))
  this.alarms = this.alarms.then(alarm, alarm)
  return this.alarms
})

export class PublicLog extends ServicePublicLog {
  readonly stops: Stops

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const stops = new Stops(ctx, WRITES_OF_PUBLIC_LOG)
    super(ctx, {
      ...env,
      FILES: stoppingBucket(env.FILES, stops, { put: deedOfPublicLog, delete: 'prune' }),
      FILES_MIRROR: stoppingBucket(mirrorIn(env.FILES), stops, { put: () => 'mirror', delete: 'prune' }),
    })
    this.stops = stops
    const sync = ctx.storage.sync.bind(ctx.storage)
    replace(ctx.storage, 'sync', async () => {
      await stops.orFail('sync:before')
      await sync()
      await stops.at('sync:after')
    })
  }
}

replace(PublicLog.prototype, 'appendReceipts', async function (this: PublicLog, batch: ReceiptBatch) {
  return this.stops.around('take', () => ServicePublicLog.prototype.appendReceipts.call(this, batch))
})

const deedOfOrganisation = (key: string): Deed => (key.startsWith('log/') ? 'store' : 'seal')

/** Tiles and the served head go into it, and partial tiles out of it. */
function deedOfPublicLog(key: string): Deed {
  if (key.endsWith('head.json')) return 'serve'
  return key.endsWith('checkpoint') ? 'checkpoint' : 'tile'
}

type DeedsOfBucket = { put: (key: string) => Deed; delete: Deed }

function stoppingBucket(bucket: R2Bucket, stops: Stops, deeds: DeedsOfBucket): R2Bucket {
  const around = async <T>(deed: Deed, work: () => Promise<T>): Promise<T> => {
    await stops.orFail(`${deed}:before`)
    const answer = await work()
    await stops.at(`${deed}:after`)
    return answer
  }
  const put = (key: string, value: string | Uint8Array, options?: R2PutOptions): Promise<R2Object | null> =>
    around(deeds.put(key), () => bucket.put(key, value, options))
  const remove = (keys: string[]): Promise<void> => around(deeds.delete, () => bucket.delete(keys))
  return new Proxy(bucket, {
    get: (target, name) => {
      if (name === 'put') return put
      if (name === 'delete') return remove
      return name === 'list' ? target.list.bind(target) : target[name === 'head' ? 'head' : 'get'].bind(target)
    },
  })
}

/** A second bucket, which has a folder of the first. */
function mirrorIn(bucket: R2Bucket): R2Bucket {
  const put = (key: string, value: string | Uint8Array, options?: R2PutOptions): Promise<R2Object | null> =>
    bucket.put(`${MIRROR_FOLDER}${key}`, value, options)
  const get = (key: string): Promise<R2ObjectBody | null> => bucket.get(`${MIRROR_FOLDER}${key}`)
  return new Proxy(bucket, { get: (_, name) => (name === 'put' ? put : get) })
}

export class PublicLogIndex extends ServicePublicLogIndex {
  readonly stops: Stops

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const stops = new Stops(ctx)
    super(ctx, env)
    this.stops = stops
  }
}

replace(PublicLogIndex.prototype, 'insertEntries', async function (this: PublicLogIndex, entries: IndexEntry[]) {
  return this.stops.around('index', () => ServicePublicLogIndex.prototype.insertEntries.call(this, entries))
})

const perform: unknown = Object.getOwnPropertyDescriptor(ErasureRun.prototype, 'perform')?.value

/** When a step has done its work and that is not noted. */
replace(ErasureRun.prototype, 'perform', async function (this: ErasureRun, step: ErasureStep, erasure: OwnErasure) {
  if (typeof perform !== 'function') throw new TypeError('an erasure performs its steps')
  const isDone: unknown = await Reflect.apply(perform, this, [step, erasure])
  const after = reach(`erase_${step}:after`)
  if (after !== null) await report(after)
  return isDone
})

const sign = crypto.subtle.sign.bind(crypto.subtle)

/** Tells signed texts apart: a record begins as JSON does, a head with the name of its format. */
const SIGNED: readonly (readonly [string, 'sign' | 'head'])[] = [
  ['{', 'sign'],
  ['aqta-sth-public-v1|', 'head'],
]

replace(crypto.subtle, 'sign', async (algorithm: 'Ed25519', key: CryptoKey, message: Uint8Array<ArrayBuffer>) => {
  const text = new TextDecoder().decode(message)
  const what = SIGNED.find(([beginning]) => text.startsWith(beginning))?.[1] ?? null
  const before = what === null ? null : reach(`${what}:before`)
  if (before !== null) await report(before)
  const signature = await sign(algorithm, key, message)
  const after = what === null ? null : reach(`${what}:after`)
  if (after !== null) await report(after)
  return signature
})

async function runStatement(request: Request, database: D1Database): Promise<Response> {
  const { sql, values } = StatementSchema.parse(await request.json())
  const { results } = await database
    .prepare(sql)
    .bind(...values)
    .all()
  return Response.json(results)
}

export default {
  async fetch(request, env, ctx) {
    await Promise.all(untold.splice(0).map(report))
    const { pathname } = new URL(request.url)
    if (pathname === DATABASE_PATH) return runStatement(request, env.DB)
    if (pathname.startsWith(CHECK_PATH)) {
      return Response.json(await env.ORGANISATIONS.getByName(pathname.slice(CHECK_PATH.length)).tell())
    }
    if (!pathname.startsWith(ALARM_PATH)) {
      const stopping = { DB: stoppingDatabase(env.DB), FILES: keepingBucket(env.FILES) }
      return service.fetch(request, { ...env, ...stopping }, ctx)
    }
    await env.ORGANISATIONS.getByName(pathname.slice(ALARM_PATH.length)).wake()
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
