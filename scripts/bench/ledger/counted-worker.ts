// The service with its writing counted: its own code, unchanged, and around it a Worker that counts what the turns of its
// objects execute, read and write, and what is asked of its bindings. Calls that came over HTTP can be repeated with other
// ids, in the Worker or in the object's own turns, so that an hour of them takes as long as their work.
import type { AdmitRequest } from '../../../src/organisation/admit/admit.ts'
import type { ChatFacts } from '../../../src/organisation/admit/record-chat.ts'
import type { ChatSettlement } from '../../../src/organisation/admit/settle-chat.ts'
import type { SettleRequest } from '../../../src/organisation/admit/settle-reading.ts'
import service, {
  Organisation as ServiceOrganisation,
  PublicLog as ServicePublicLog,
  PublicLogIndex as ServicePublicLogIndex,
} from '../../../src/worker.ts'
import {
  countedEnv,
  countMethods,
  countStorage,
  fileBytes,
  knownObjects,
  passTime,
  replace,
  stepTime,
  tally,
  type ObjectName,
  type OpenRows,
} from './counted-storage-worker.ts'
import { CONTROL, LOG_WORK, PACE_MS, REPEATED, type Counted, type LogWork, type Repeated } from './counts.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS' | 'PUBLIC_LOG' | 'PUBLIC_LOG_INDEX'> & {
  ORGANISATIONS: DurableObjectNamespace<Organisation>
  PUBLIC_LOG: DurableObjectNamespace<PublicLog>
  PUBLIC_LOG_INDEX: DurableObjectNamespace<PublicLogIndex>
}

/** What came last; of readings what came last of each key, which has a limit for each minute. `object`: its id. */
const seen: {
  facts: ChatFacts | null
  settlement: ChatSettlement | null
  readings: Map<string, { object: string; request: AdmitRequest }>
  readingSettled: SettleRequest | null
} = { facts: null, settlement: null, readings: new Map(), readingSettled: null }

function wasSeen<T>(value: T | null): T {
  if (value === null) throw new Error('nothing like it has come yet')
  return value
}

const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex()

function anotherChat(): ChatFacts {
  const attestationId = crypto.randomUUID()
  const traceId = `tr_${attestationId.replaceAll('-', '')}`
  return { ...wasSeen(seen.facts), attestationId, traceId, requestHash: randomHex(32), loopHash: randomHex(32) }
}

function expectOutcome({ outcome }: { outcome: string }, wanted: string): void {
  if (outcome !== wanted) throw new Error(`answered ${outcome}, not ${wanted}`)
}

/** Attestations whose proofs are asked for. */
const MOST_WORKED = 5000
const worked: string[] = []
let workedSoFar = 0

export class Organisation extends ServiceOrganisation {
  readonly #rows: OpenRows

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const rows = countStorage(ctx, 'ORGANISATIONS')
    super(ctx, countedEnv(env))
    this.#rows = rows
  }

  get objectId(): string {
    return this.ctx.id.toString()
  }

  ring(): Promise<void> {
    return this.alarm()
  }

  size(): number {
    this.#rows.settle()
    return this.ctx.storage.sql.databaseSize
  }

  evict(): void {
    this.ctx.abort('thrown out of memory, as it was told to')
  }

  /** So many times, without calls from outside, and not counted. */
  work(work: LogWork, times: number): Promise<void> {
    return tally.paused(async () => {
      const size = await this.#treeSize()
      for (let n = 0; n < times; n++) {
        stepTime(PACE_MS)
        await this.#once(work, size)
      }
    })
  }

  /** Proofs are awaited whether they are made at once or not. */
  async #once(work: LogWork, size: number): Promise<void> {
    const { keyId, secretHash } = wasSeen(seen.facts)
    const caller = { keyId, secretHash }
    switch (work) {
      case 'chat':
        return this.#chat()
      case 'head':
        return void (await this.#treeSize())
      case 'inclusion': {
        const attestationId = worked[Math.floor(Math.random() * worked.length)] ?? ''
        const reply = await Promise.resolve(this.log.proveInclusion(caller, attestationId, size))
        return expectOutcome(reply.outcome === 'admitted' ? reply.answer : reply, 'included')
      }
      case 'consistency': {
        const reply = await Promise.resolve(
          this.log.proveConsistency(caller, { from: 1 + Math.floor(Math.random() * size), to: size }),
        )
        return expectOutcome(reply.outcome === 'admitted' ? reply.answer : reply, 'consistent')
      }
    }
  }

  #chat(): void {
    const facts = anotherChat()
    const admission = this.admitChat(facts)
    if (admission.outcome !== 'admitted') return expectOutcome(admission, 'admitted')
    const { position } = admission
    expectOutcome(this.settleChat({ ...wasSeen(seen.settlement), position }), 'settled')
    worked[workedSoFar++ % MOST_WORKED] = facts.attestationId
  }

  async #treeSize(): Promise<number> {
    const { keyId, secretHash } = wasSeen(seen.facts)
    const reply = await Promise.resolve(this.log.readTreeHead({ keyId, secretHash }))
    if (reply.outcome !== 'admitted') throw new Error(`answered ${reply.outcome}`)
    return reply.answer.size
  }
}

export class PublicLog extends ServicePublicLog {
  readonly #rows: OpenRows

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const rows = countStorage(ctx, 'PUBLIC_LOG')
    super(ctx, countedEnv(env))
    this.#rows = rows
  }

  ring(): Promise<void> {
    return this.alarm()
  }

  size(): number {
    this.#rows.settle()
    return this.ctx.storage.sql.databaseSize
  }
}

export class PublicLogIndex extends ServicePublicLogIndex {
  readonly #rows: OpenRows

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const rows = countStorage(ctx, 'PUBLIC_LOG_INDEX')
    super(ctx, countedEnv(env))
    this.#rows = rows
  }

  size(): number {
    this.#rows.settle()
    return this.ctx.storage.sql.databaseSize
  }
}

countMethods(Organisation.prototype, ServiceOrganisation.prototype, 'ORGANISATIONS')
countMethods(PublicLog.prototype, ServicePublicLog.prototype, 'PUBLIC_LOG')
countMethods(PublicLogIndex.prototype, ServicePublicLogIndex.prototype, 'PUBLIC_LOG_INDEX')

const { prototype: own } = Organisation
const { prototype: ofService } = ServiceOrganisation

replace(own, 'admitChat', function (this: Organisation, facts: ChatFacts) {
  const admission = tally.around('ORGANISATIONS.admitChat', () => ofService.admitChat.call(this, facts))
  if (admission.outcome === 'admitted') seen.facts = facts
  return admission
})
replace(own, 'settleChat', function (this: Organisation, settlement: ChatSettlement) {
  seen.settlement = settlement
  return tally.around('ORGANISATIONS.settleChat', () => ofService.settleChat.call(this, settlement))
})
replace(own, 'admit', function (this: Organisation, request: AdmitRequest) {
  if (request.reserveMicroeur !== undefined) seen.readings.set(request.keyId, { object: this.objectId, request })
  return tally.around('ORGANISATIONS.admit', () => ofService.admit.call(this, request))
})
replace(own, 'settleReading', function (this: Organisation, request: SettleRequest) {
  seen.readingSettled = request
  return tally.around('ORGANISATIONS.settleReading', () => ofService.settleReading.call(this, request))
})

async function chat(env: Env): Promise<void> {
  const facts = anotherChat()
  const object = env.ORGANISATIONS.getByName(facts.organisationId)
  const admission = await object.admitChat(facts)
  if (admission.outcome !== 'admitted') return expectOutcome(admission, 'admitted')
  expectOutcome(await object.settleChat({ ...wasSeen(seen.settlement), position: admission.position }), 'settled')
}

/** Of the next key in turn. */
async function reading(env: Env, n: number): Promise<void> {
  const { object: id, request } = wasSeen([...seen.readings.values()][n % seen.readings.size] ?? null)
  const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromString(id))
  const admission = await object.admit(request)
  if (admission.outcome !== 'admitted' || admission.position === null) return expectOutcome(admission, 'admitted')
  const { keyId } = request
  const { position } = admission
  expectOutcome(await object.settleReading({ ...wasSeen(seen.readingSettled), keyId, position }), 'settled')
}

const waker =
  (env: Env) =>
  async ({ namespace, id }: ObjectName): Promise<void> => {
    if (namespace === 'ORGANISATIONS') await env.ORGANISATIONS.get(env.ORGANISATIONS.idFromString(id)).ring()
    else if (namespace === 'PUBLIC_LOG') await env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromString(id)).ring()
  }

async function repeat(env: Env, kind: Repeated, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await passTime(PACE_MS, waker(env))
    if (kind === 'chat') await chat(env)
    else await reading(env, n)
  }
}

/** Bytes; each object adds up its rows before it tells its own. */
async function sizes(env: Env): Promise<Counted['databases']> {
  const sums: Counted['databases'] = {}
  for (const { namespace, id } of knownObjects()) {
    const all = env[namespace]
    sums[namespace] = (sums[namespace] ?? 0) + (await all.get(all.idFromString(id)).size())
  }
  return sums
}

const done = (): Response => new Response(null, { status: 204 })

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    const [kind, times] = [searchParams.get('kind'), Number(searchParams.get('times'))]
    const organisation = () => env.ORGANISATIONS.getByName(wasSeen(seen.facts).organisationId)
    switch (pathname) {
      case CONTROL.counts:
        return Response.json({ databases: await sizes(env), files: fileBytes(), ...tally.take() } satisfies Counted)
      case CONTROL.pass:
        await passTime(Number(searchParams.get('ms')), waker(env))
        return done()
      case CONTROL.repeat:
        await repeat(env, REPEATED.find((one) => one === kind) ?? 'chat', times)
        return done()
      case CONTROL.work:
        await organisation().work(LOG_WORK.find((one) => one === kind) ?? 'chat', times)
        return done()
      case CONTROL.evict:
        await organisation()
          .evict()
          .catch(() => undefined)
        return done()
      default:
        stepTime(PACE_MS)
        return service.fetch(request, countedEnv(env), ctx)
    }
  },
} satisfies ExportedHandler<Env>
