// The Worker's entry: requests, the daily upkeep, and the Durable Object classes it exports.
import { createApp } from './app.ts'
import { dailyUpkeep, runUpkeep } from './daily-upkeep.ts'
import { ConfigError } from './platform/config.ts'
import { countWork, giveTurn, isTurnDue, REQUEST_WORK } from './platform/event-loop.ts'
import { log } from './platform/log.ts'
import { createMisconfiguredApp } from './platform/service.routes.ts'
import { systemClock } from './platform/time.ts'
import type { Api } from './platform/router.ts'
import { readinessRoutes } from './readiness.routes.ts'

export { PublicLog } from './public-log/public-log.do.ts'
export { PublicLogIndex } from './public-log/public-log-index.do.ts'
export { Organisation } from './organisation/organisation.do.ts'

let app: Api | undefined

export default {
  async fetch(request, env, ctx) {
    countWork(REQUEST_WORK)
    if (isTurnDue()) await giveTurn()
    try {
      app ??= createApp(env)
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      log({ level: 'error', event: 'misconfigured', settings: thrown.message })
      return createMisconfiguredApp(thrown, env, readinessRoutes(env, systemClock, thrown)).fetch(request, env, ctx)
    }
    return app.fetch(request, env, ctx)
  },

  /** Runs at the times of [triggers] in wrangler.toml. */
  scheduled: ({ scheduledTime }, env) => runUpkeep(env.DB, dailyUpkeep(env), scheduledTime),
} satisfies ExportedHandler<Cloudflare.Env>
