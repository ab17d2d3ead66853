// What every request carries from left to right, whichever feature answers it.
import type { Context } from 'hono'
import type { HeldBody } from './body.ts'
import type { OrganisationId } from './ids.ts'
import type { Timings } from './timings.ts'

export type AppEnv = {
  Bindings: Cloudflare.Env
  Variables: {
    requestId: string
    timings: Timings
    /** What the log line says beyond the request itself. Allow-listed in log.ts. */
    logged: LoggedFacts
    /** The body of a request that changes something: read before the caller is looked up. */
    heldBody?: HeldBody
  }
}

export type LoggedFacts = {
  keyId?: string
  personId?: string
  organisationId?: OrganisationId
  outcome?: string
  errorCode?: string
}

export type AppContext = Context<AppEnv>
