// The service with points at which it stops: its own code, unchanged, and around it a Worker that counts how often each
// step was reached. At an armed one the process is killed from outside, the object aborted, or its database fails.
import { env as settings } from 'cloudflare:workers'
import { z } from 'zod'
import type { ChatFacts } from '../../../src/organisation/record-chat.ts'
import type { ChatSettlement } from '../../../src/organisation/settle-chat.ts'
import service, { Organisation as Service } from '../../../src/worker.ts'
import { ALARM_PATH, CrashSettingSchema, type Arm, type Step } from '../../soak/crashes/steps.ts'

type Env = Cloudflare.Env & { ORGANISATIONS: DurableObjectNamespace<Organisation> }

const crash = z.object({ CRASH: CrashSettingSchema }).parse({ ...settings }).CRASH

const now = Date.now
Date.now = () => now() + crash.clockAheadMs

const reached = new Map<Step, number>()

/** Counts a step; what is armed for this time, if anything. */
function reach(step: Step): Arm | null {
  const times = (reached.get(step) ?? 0) + 1
  reached.set(step, times)
  return crash.arms.find((arm) => arm.step === step && arm.nth === times) ?? null
}

/** Whoever is told kills the process: before it answers or, if the middle of a turn is meant, soon after. */
const report = (step: Step): Promise<Response> => fetch(`${crash.control}/${step}`, { method: 'POST' })

/** Some seconds of computing: a turn is to be killed before it is over. */
function compute(): void {
  for (let round = 0; round < 4e9; round += 1);
}

type Failing = { arm: Extract<Arm, { action: 'fail' }> | null; statements: number }

/** Makes a database fail in the turn for which an arm is set. */
function failOnDemand(storage: DurableObjectStorage): Failing {
  const failing: Failing = { arm: null, statements: 0 }
  const transact = storage.transactionSync.bind(storage)
  const execute = storage.sql.exec.bind(storage.sql)
  const failAt = (statement: number | null): void => {
    if (failing.arm?.statement === statement) throw new Error('the database fails, as it was told to')
  }
  const value = (closure: () => unknown): unknown =>
    transact(() => {
      const answer = closure()
      failAt(null)
      return answer
    })
  Object.defineProperty(storage, 'transactionSync', { value })
  Object.defineProperty(storage.sql, 'exec', {
    value: (query: string, ...bindings: unknown[]) => {
      failing.statements += 1
      failAt(failing.statements)
      return execute(query, ...bindings)
    },
  })
  return failing
}

export class Organisation extends Service {
  readonly #failing: Failing

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    const failing = failOnDemand(ctx.storage)
    super(ctx, env)
    this.#failing = failing
  }

  async stopAt(step: Step): Promise<void> {
    const arm = reach(step)
    if (arm?.action === 'kill') await report(step)
    if (arm?.action === 'abort') this.ctx.abort(`aborted at ${step}`)
  }

  async stopAround<T>(verb: 'admit' | 'settle' | 'alarm', turn: () => T | Promise<T>): Promise<T> {
    const before = reach(`${verb}:before`)
    if (before?.action === 'kill') await report(before.step)
    if (before?.action === 'abort') this.ctx.abort(`aborted at ${before.step}`)
    const during = reach(`${verb}:during`)
    if (during !== null) await report(during.step)
    Object.assign(this.#failing, { arm: before?.action === 'fail' ? before : null, statements: 0 })
    const answer = this.#take(turn, during !== null)
    await this.stopAt(`${verb}:after`)
    return answer
  }

  #take<T>(turn: () => T, isHeld: boolean): T {
    try {
      const answer = turn()
      if (isHeld) compute()
      return answer
    } finally {
      this.#failing.arm = null
    }
  }

  /** Only an object's own alarm wakes it otherwise. */
  async wake(): Promise<void> {
    await this.alarm()
  }
}

// Defined here and not as methods of the class, since the service's own answer at once.
Object.defineProperties(Organisation.prototype, {
  admitChat: {
    async value(this: Organisation, facts: ChatFacts) {
      const admission = await this.stopAround('admit', () => Service.prototype.admitChat.call(this, facts))
      if (admission.outcome === 'model_not_allowed') await this.stopAt('block:after')
      if (admission.outcome === 'loop_detected') await this.stopAt('suppress:after')
      return admission
    },
  },
  settleChat: {
    async value(this: Organisation, settlement: ChatSettlement) {
      return this.stopAround('settle', () => Service.prototype.settleChat.call(this, settlement))
    },
  },
  alarm: {
    async value(this: Organisation) {
      return this.stopAround('alarm', () => Service.prototype.alarm.call(this))
    },
  },
})

const OPEN_BRACE = '{'.charCodeAt(0)
const sign = crypto.subtle.sign.bind(crypto.subtle)

/** Records, not the heads of a log: what is signed begins as JSON does. */
Object.defineProperty(crypto.subtle, 'sign', {
  value: async (algorithm: 'Ed25519', key: CryptoKey, message: Uint8Array<ArrayBuffer>) => {
    const isRecord = message[0] === OPEN_BRACE
    if (isRecord && reach('sign:before') !== null) await report('sign:before')
    const signature = await sign(algorithm, key, message)
    if (isRecord && reach('sign:after') !== null) await report('sign:after')
    return signature
  },
})

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith(ALARM_PATH)) return service.fetch(request, env, ctx)
    await env.ORGANISATIONS.getByName(pathname.slice(ALARM_PATH.length)).wake()
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
