// The context of a request, which every handler gets: its id, its timings and the facts for its log line. Also runs work after the
// response.
import type { Context } from 'hono'
import type { HeldBody } from './request-body.ts'
import type { OrganisationId } from './ids.ts'
import { logUnexpected } from './log.ts'

export type AppEnv = {
  Bindings: Cloudflare.Env
  Variables: {
    requestId: string
    timings: Timings
    /** Further facts for the log line. log.ts lists those that are allowed. */
    logged: LoggedFacts
    /** The body of a request that changes something, which is read before the caller is looked up. */
    heldBody?: HeldBody
  }
}

type LoggedFacts = {
  keyId?: string
  personId?: string
  organisationId?: OrganisationId
  outcome?: string
  errorCode?: string
}

export type AppContext = Context<AppEnv>

export function setHeaders(c: AppContext, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

type WaitedFor = 'organisation' | 'upstream' | 'storage'

/** Measures how long a request waits for others. In production clocks stand still during computation, so there is no CPU time. */
export class Timings {
  readonly #waits = new Map<WaitedFor, number>()

  async measure<T>(what: WaitedFor, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#waits.set(what, (this.#waits.get(what) ?? 0) + performance.now() - startedAt)
    }
  }

  /**
   * Returns the value of a `server-timing` header (W3C Server Timing), with durations in milliseconds.
   * @see https://www.w3.org/TR/server-timing/
   */
  header(): string {
    const entries = (['organisation', 'upstream', 'storage'] as const).map(
      (what) => `${what};dur=${(this.#waits.get(what) ?? 0).toFixed(1)}`,
    )
    return entries.join(', ')
  }

  /** Returns the whole milliseconds waited, by what was waited for. */
  milliseconds(): Record<string, number> {
    return Object.fromEntries([...this.#waits].map(([what, ms]) => [what, Math.round(ms)]))
  }
}

/** Continues with work after the response. A failure is only logged. */
export function runAfterResponse(c: AppContext, work: () => Promise<unknown>): void {
  const requestId = c.get('requestId')
  c.executionCtx.waitUntil(work().catch((thrown: unknown) => logUnexpected(thrown, requestId)))
}
