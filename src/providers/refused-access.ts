// The log line that tells the operator that a provider does not accept this deployment's key, account or name of a model.
import type { AppContext } from '../platform/context.ts'
import { log } from '../platform/log.ts'
import type { Model } from './catalogue.schema.ts'
import type { UpstreamFailure } from './failure.ts'

export type RefusedAccess = Pick<UpstreamFailure, 'upstreamStatus' | 'upstreamRequestId'>

export function logRefusedAccess(c: AppContext, { provider, id }: Model, refused: RefusedAccess): void {
  log({
    level: 'error',
    event: 'provider_refused_access',
    request_id: c.get('requestId'),
    provider,
    model: id,
    upstream_status: refused.upstreamStatus,
    upstream_request_id: refused.upstreamRequestId,
  })
}
