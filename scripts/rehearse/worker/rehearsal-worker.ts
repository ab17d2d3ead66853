// The service unchanged, with what this machine's runtime lacks. Only `npm run rehearse` runs it. The deployed Worker is
// src/worker.ts.
import service, {
  Organisation as ServiceOrganisation,
  PublicLog as ServicePublicLog,
  PublicLogIndex as ServicePublicLogIndex,
} from '../../../src/worker.ts'
import { withJurisdictions } from './jurisdictions.ts'

export class Organisation extends ServiceOrganisation {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, withJurisdictions(env))
  }
}

export class PublicLog extends ServicePublicLog {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, withJurisdictions(env))
  }
}

export class PublicLogIndex extends ServicePublicLogIndex {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, withJurisdictions(env))
  }
}

export default {
  fetch: (request, env, ctx) => service.fetch(request, withJurisdictions(env), ctx),
} satisfies ExportedHandler<Cloudflare.Env>
