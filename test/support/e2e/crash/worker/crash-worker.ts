// The service with points at which it stops: its own code, unchanged, and around it a Worker that counts how often each
// step was reached. At an armed one the process is killed from outside, the object aborted, or its storage fails.
import type { RpcTarget } from 'cloudflare:workers'
import type { IndexEntry, ReceiptBatch } from '../../../../../src/public-log/public-log.client.ts'
import { ApprovalsTarget } from '../../../../../src/organisation/approvals/approvals.target.ts'
import type { ReferralFacts, ReadingSettlement } from '../../../../../src/organisation/admit/admit-referral.ts'
import { ErasureRun } from '../../../../../src/organisation/erasure/erasure-run.ts'
import type { ErasureProgress } from '../../../../../src/organisation/erasure/erasure.ts'
import type { ErasureStep } from '../../../../../src/organisation/erasure/erasure.ts'
import { loadMemory, replay } from '../../../../../src/organisation/journal/load-state.ts'
import type { ChatFacts } from '../../../../../src/organisation/admit/record-chat.ts'
import { SnapshotsStore } from '../../../../../src/organisation/journal/snapshots.store.ts'
import { WHOLE_ORGANISATION } from '../../../../../src/organisation/journal/state/calls.ts'
import { listOpenChats } from '../../../../../src/organisation/journal/state/monthly-usage.ts'
import { listDays, listOpenReadings } from '../../../../../src/organisation/journal/state/readings.ts'
import { differences } from '../../../../../src/organisation/journal/state/snapshot.ts'
import { checkUsage } from '../../../../../src/organisation/usage/check-usage.ts'
import { KeysTarget } from '../../../../../src/organisation/keys/keys.target.ts'
import { PolicyTarget } from '../../../../../src/organisation/policies/policy.target.ts'
import { SettingsTarget } from '../../../../../src/organisation/settings/settings.target.ts'
import {
  ALARM_PATH,
  CHECK_PATH,
  DATABASE_PATH,
  type Deed,
  MIRROR_FOLDER,
  StatementSchema,
  type Told,
  type Verb,
} from '../steps.ts'
import { reach, report, reportUntold } from './arms.ts'
import { keepingBucket, stoppingDatabase } from './stopping-storage.ts'
import { replace, Stops, WRITES_OF_ORGANISATION, WRITES_OF_PUBLIC_LOG } from './stops.ts'
import service, {
  Organisation as ServiceOrganisation,
  PublicLog as ServicePublicLog,
  PublicLogIndex as ServicePublicLogIndex,
} from '../../../../../src/worker.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS'> & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

// Failures here are made on purpose, so they are not printed.
console.error = () => {}

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
    const { state } = loadMemory(sql)
    const rebuilt = replay(sql, new SnapshotsStore(sql).find('oldest'))
    return {
      differences: (await this.log.checkState()).differences,
      differencesAtStart: differences(state, rebuilt.state),
      usageDifferences: await this.#differingCounts(),
      next: state.next,
      months: this.usage.read().months,
      open: listOpenChats(state.months, Infinity, Infinity).map(({ position, microeur }) => ({ position, microeur })),
      readings: listOpenReadings(state.readings, Infinity).map(({ position, microeur }) => ({ position, microeur })),
      days: listDays(state.readings),
      settingsVersion: state.settings.version,
      policyVersion: state.policy.version,
      approvals: Array.from(state.approvals.values(), ({ approval_id: id, state: of }) => ({ id, state: of })),
      today: state.calls.get(WHOLE_ORGANISATION)?.today ?? { day: 0, calls: 0 },
    }
  }

  async #differingCounts(): Promise<string[]> {
    const { sql, stores, turns, archive, usage: follower } = this.opened().parts
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
replace(Organisation.prototype, 'admit', async function (this: Organisation, request: ReferralFacts) {
  return this.stops.around('read', () => ServiceOrganisation.prototype.admit.call(this, request))
})
replace(Organisation.prototype, 'settleReading', async function (this: Organisation, request: ReadingSettlement) {
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

/** Tiles, the served head and the heads of days go into it, and partial tiles out of it. */
function deedOfPublicLog(key: string): Deed {
  if (key.endsWith('.json')) return 'serve'
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
replace(
  ErasureRun.prototype,
  'perform',
  async function (this: ErasureRun, step: ErasureStep, erasure: ErasureProgress) {
    if (typeof perform !== 'function') throw new TypeError('an erasure performs its steps')
    const isDone: unknown = await Reflect.apply(perform, this, [step, erasure])
    const after = reach(`erase_${step}:after`)
    if (after !== null) await report(after)
    return isDone
  },
)

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
    await reportUntold()
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
