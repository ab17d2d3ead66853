// Runs the unchanged service in a Worker that counts what objects execute, read and write, and the calls of bindings. Further
// paths repeat the latest chat and move simulated time. No repetition waits for real time.
import type { ChatFacts } from '../../../src/organisation/admit/record-chat.ts'
import type { ChatSettlement } from '../../../src/organisation/admit/settle-chat.ts'
import service, {
  Organisation as ServiceOrganisation,
  PublicLog as ServicePublicLog,
  PublicLogIndex as ServicePublicLogIndex,
} from '../../../src/worker.ts'
import {
  countedEnv,
  countFeatures,
  countMethods,
  countStorage,
  fileBytes,
  knownObjects,
  passTime,
  replace,
  stepTime,
  tally,
  type ObjectName,
  type CountedDatabase,
} from './counted-storage-worker.ts'
import { CONTROL, PACE_MS, type StorageCounts } from './counted-worker-api.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS' | 'PUBLIC_LOG' | 'PUBLIC_LOG_INDEX'> & {
  ORGANISATIONS: DurableObjectNamespace<Organisation>
  PUBLIC_LOG: DurableObjectNamespace<PublicLog>
  PUBLIC_LOG_INDEX: DurableObjectNamespace<PublicLogIndex>
}

/** The latest chat that came over HTTP. */
const lastChat: { facts: ChatFacts | null; settlement: ChatSettlement | null } = { facts: null, settlement: null }

function requireReceived<T>(value: T | null): T {
  if (value === null) throw new Error('No chat has come over HTTP yet.')
  return value
}

const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex()

function anotherChat(): ChatFacts {
  return {
    ...requireReceived(lastChat.facts),
    requestHash: randomHex(32),
    loopHash: randomHex(32),
  }
}

function expectOutcome({ outcome }: { outcome: string }, expected: string): void {
  if (outcome !== expected) throw new Error(`answered ${outcome}, not ${expected}`)
}

export class Organisation extends ServiceOrganisation {
  readonly #database: CountedDatabase

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const database = countStorage(ctx, 'ORGANISATIONS')
    super(ctx, countedEnv(env))
    countFeatures(this, ServiceOrganisation.prototype, 'ORGANISATIONS')
    this.#database = database
  }

  ring(): Promise<void> {
    return this.alarm()
  }

  size(): number {
    return this.#database.size()
  }
}

export class PublicLog extends ServicePublicLog {
  readonly #database: CountedDatabase

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const database = countStorage(ctx, 'PUBLIC_LOG')
    super(ctx, countedEnv(env))
    this.#database = database
  }

  ring(): Promise<void> {
    return this.alarm()
  }

  size(): number {
    return this.#database.size()
  }
}

export class PublicLogIndex extends ServicePublicLogIndex {
  readonly #database: CountedDatabase

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const database = countStorage(ctx, 'PUBLIC_LOG_INDEX')
    super(ctx, countedEnv(env))
    this.#database = database
  }

  size(): number {
    return this.#database.size()
  }
}

countMethods(Organisation.prototype, ServiceOrganisation.prototype, 'ORGANISATIONS')
countMethods(PublicLog.prototype, ServicePublicLog.prototype, 'PUBLIC_LOG')
countMethods(PublicLogIndex.prototype, ServicePublicLogIndex.prototype, 'PUBLIC_LOG_INDEX')

const { prototype: own } = Organisation
const { prototype: ofService } = ServiceOrganisation

replace(own, 'admitChat', function (this: Organisation, facts: ChatFacts) {
  const admission = tally.around('ORGANISATIONS.admitChat', () => ofService.admitChat.call(this, facts))
  if (admission.outcome === 'admitted') lastChat.facts = facts
  return admission
})
replace(own, 'settleChat', function (this: Organisation, settlement: ChatSettlement) {
  lastChat.settlement = settlement
  return tally.around('ORGANISATIONS.settleChat', () => ofService.settleChat.call(this, settlement))
})

async function chat(env: Env): Promise<void> {
  const facts = anotherChat()
  const object = env.ORGANISATIONS.getByName(facts.organisationId)
  const admission = await object.admitChat(facts)
  if (admission.outcome !== 'admitted') return expectOutcome(admission, 'admitted')
  expectOutcome(
    await object.settleChat({
      ...requireReceived(lastChat.settlement),
      position: admission.position,
      factsSha256: admission.factsSha256,
      retentionDays: admission.retentionDays,
    }),
    'settled',
  )
}

const waker =
  (env: Env) =>
  async ({ namespace, id }: ObjectName): Promise<void> => {
    if (namespace === 'ORGANISATIONS') await env.ORGANISATIONS.get(env.ORGANISATIONS.idFromString(id)).ring()
    else if (namespace === 'PUBLIC_LOG') await env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromString(id)).ring()
  }

async function repeatChats(env: Env, times: number, paceMs: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await passTime(paceMs, waker(env))
    await chat(env)
  }
}

/** Returns the bytes of all databases by namespace. To report its size, an object also adds up the rows that it read. */
async function databaseBytes(env: Env): Promise<StorageCounts['bytes']> {
  const sums: StorageCounts['bytes'] = {}
  for (const { namespace, id } of knownObjects()) {
    const all = env[namespace]
    sums[namespace] = (sums[namespace] ?? 0) + (await all.get(all.idFromString(id)).size())
  }
  return sums
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case CONTROL.counts: {
        const bytes = { ...(await databaseBytes(env)), ...fileBytes() }
        return Response.json({ bytes, ...tally.take() } satisfies StorageCounts)
      }
      case CONTROL.pass:
        await passTime(Number(searchParams.get('ms')), waker(env))
        break
      case CONTROL.repeat:
        await repeatChats(env, Number(searchParams.get('times')), Number(searchParams.get('pace')))
        break
      default:
        stepTime(PACE_MS)
        return service.fetch(request, countedEnv(env), ctx)
    }
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
