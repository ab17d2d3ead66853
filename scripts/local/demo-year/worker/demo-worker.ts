// The service unchanged, with routes that fill a demo and set the clock. Only `npm start -- --demo` runs it, on this
// machine. The deployed Worker is src/worker.ts.
import { configuredKeys, createSigner } from '../../../../src/evidence/records/configured-keys.ts'
import { endDueApprovals } from '../../../../src/organisation/approvals/approval-steps.ts'
import { settleInterruptedChatsAndAlert } from '../../../../src/organisation/admit/budget-alerts.ts'
import { writeHourCounts } from '../../../../src/organisation/admit/hour-counts.ts'
import { AnomaliesStore } from '../../../../src/organisation/bias/anomalies.store.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { parseEurRate } from '../../../../src/providers/call-cost.ts'
import service, { Organisation as ServiceOrganisation } from '../../../../src/worker.ts'
import {
  BEGIN_PATH,
  CLOCK_PATH,
  DAY_PATH,
  END_PATH,
  FillYearRequestSchema,
  KEYS_PATH,
  KeyChangeSchema,
  type ApprovedCall,
  type DayFilled,
} from '../fill-year-protocol.ts'
import { atTime, setTime } from './simulated-time.ts'
import { YearSimulation, type SimulationDeps } from './simulate-year.ts'

export { PublicLog, PublicLogIndex } from '../../../../src/worker.ts'

type Env = Omit<Cloudflare.Env, 'ORGANISATIONS'> & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

/** One alarm archives at most one batch. */
const MOST_ALARMS_A_DAY = 50

const WEEK_DAYS = 7

export class Organisation extends ServiceOrganisation {
  #year: YearSimulation | null = null
  #begins = 0
  #days = 0

  /** Does nothing while the year is being filled. */
  override async alarm(): Promise<void> {
    if (this.#year === null) await super.alarm()
  }

  beginYear(body: unknown): void {
    const order = FillYearRequestSchema.parse(body)
    this.#begins = order.begins
    this.#days = order.days
    this.#year = atTime(order.begins, () => new YearSimulation({ order, ...this.#simulationDeps() }))
  }

  changeKeys(body: unknown): void {
    this.#year?.changeKeys(KeyChangeSchema.parse(body))
  }

  async fillDay(index: number): Promise<DayFilled> {
    if (this.#year === null) throw new Error('no year was begun')
    const end = Math.min(this.#begins + (index + 1) * DAY_MS, Date.now())
    const decisions = this.#year.runDay(index, end)
    // A search for anomalies judges the week before it, and would take a quarter of the time if it ran each day.
    if ((this.#days - 1 - index) % WEEK_DAYS !== 0) new AnomaliesStore(this.ctx.storage.sql).writeSearchedAt(end)
    await this.#alarmsAt(end)
    return { decisions, entries: this.opened().parts.stores.journal.state.next }
  }

  /** Ends the filling. The object then works like any other. */
  async endYear(): Promise<{ approved: ApprovedCall }> {
    const approved = this.#year?.approvedCall ?? null
    this.#year = null
    await super.alarm()
    return { approved }
  }

  /** Runs the alarms that are due by the end of a day. */
  async #alarmsAt(time: number): Promise<void> {
    for (let alarms = 0; alarms < MOST_ALARMS_A_DAY; alarms += 1) {
      await atTime(time, () => super.alarm())
      const next = await this.ctx.storage.getAlarm()
      if (next === null || next > time) return
    }
  }

  #simulationDeps(): Omit<SimulationDeps, 'order'> {
    const { stores, turns } = this.opened().parts
    const config = readConfig(this.env)
    const [eurRate, keys] = [parseEurRate(config.eurPerUsd.rate), configuredKeys(this.env, config)]
    if (eurRate === null || keys === null) throw new Error('there is no rate of exchange, or no key to sign with')
    const signer = createSigner(keys)
    return {
      eurRate,
      publicKeyAt(time) {
        const publicKey = signer.nameAt(time)
        if (publicKey === null) throw new Error('the keys of .dev.vars (ATTESTATION_KEYS) are younger than the demo')
        return publicKey
      },
      turns: {
        admitChat: (facts) => this.admitChat(facts),
        settleChat: (...settling) => this.settleChat(...settling),
        decideApproval: (request) => this.approvals.decide(request),
        changePolicy: (...wanted) => this.policy.change(...wanted),
        readPolicy: () => this.policy.read(),
        tidy(now) {
          turns.take(() => {
            settleInterruptedChatsAndAlert(stores, now)
            endDueApprovals(stores, now)
            writeHourCounts(stores, now)
          })
        },
        secretHashOf(keyId) {
          const key = stores.keys.findKey(keyId)
          if (key === null) throw new Error('the year is to be filled with a key that is not there')
          return key.secretHash
        },
      },
    }
  }
}

/** The id of the organisation whose year is being filled, or null. */
let filled: string | null = null

/** Handles the paths of the demo year. Returns null for a path of the service. */
async function handleYearRequest(request: Request, pathname: string, env: Env): Promise<object | null> {
  if (pathname === CLOCK_PATH) {
    setTime(await request.json<number | null>())
    return {}
  }
  if (pathname === BEGIN_PATH) {
    const order = FillYearRequestSchema.parse(await request.json())
    filled = order.organisationId
    await filledOrganisation(env, filled).beginYear(order)
    return {}
  }
  if (filled === null) return null
  if (pathname === KEYS_PATH) {
    await filledOrganisation(env, filled).changeKeys(await request.json())
    return {}
  }
  if (pathname.startsWith(DAY_PATH))
    return filledOrganisation(env, filled).fillDay(Number(pathname.slice(DAY_PATH.length)))
  if (pathname !== END_PATH) return null
  return filledOrganisation(env, filled).endYear()
}

const filledOrganisation = (env: Env, organisation: string): DurableObjectStub<Organisation> =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation))

export default {
  async fetch(request, env, context) {
    try {
      const answer = await handleYearRequest(request, new URL(request.url).pathname, env)
      return answer === null ? await service.fetch(request, env, context) : Response.json(answer)
    } catch (thrown) {
      return new Response(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown), { status: 500 })
    }
  },
} satisfies ExportedHandler<Env>
