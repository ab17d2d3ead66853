// The line that the log has of every call that was allowed, once it has ended.
import type { AppContext } from '../../platform/context.ts'
import { log, type LogLine } from '../../platform/log.ts'
import type { AdmittedCall } from './admitted-call.ts'

type HowEnded = Required<Pick<LogLine, 'ended'>> &
  Pick<LogLine, 'provider' | 'error_cause' | 'upstream_status' | 'upstream_request_id' | 'attempts'>

export function logEnded(c: AppContext, { key, outline, traceId }: AdmittedCall, how: HowEnded): void {
  log({
    level: 'info',
    event: 'chat_ended',
    request_id: c.get('requestId'),
    organisation_id: key.organisationId,
    key_id: key.keyId,
    trace_id: traceId,
    model: outline.model.id,
    ...how,
  })
}
