// Presents a call of the audit trail for the API: its decision, further facts, and its settlement. Says if it was to have content.
import { DATA_REGIONS } from '../../platform/data-region.ts'
import { providerOfEndpoint } from '../../providers/provider-registry.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { toEur } from '../../platform/money.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { CallApproval, TrailCall } from '../../organisation/audit/audit-trail.ts'
import { readAnswerScan, type AnswerScan } from '../../evidence/records/answer-scan.ts'
import { RECORD_OUTCOMES, settledEndingOf } from '../../evidence/records/call-endings.ts'
import { outcomeOfCall } from '../../organisation/journal/call-pages.ts'
import type { AuditTrailEntry, ShownCall } from './audit-trail.schema.ts'

const RecordSchema = once(() =>
  z.looseObject({
    attestation_id: z.string(),
    trace_id: z.string(),
    org_id: z.string(),
    request_hash: z.string(),
    model: z.string(),
    outcome: z.enum(RECORD_OUTCOMES),
    policy_applied: z.array(z.string()),
    cost_prevented_eur: z.number(),
    timestamp: z.string(),
  }),
)

const FactsSchema = once(() =>
  z.looseObject({
    key_id: z.string(),
    request_id: z.string(),
    provider: z.string(),
    use_case: z.string().nullable(),
    cohort: z.string().optional(),
    reason: z.string().nullable(),
    policy_version: z.number().optional(),
    data_region: z.enum(DATA_REGIONS).optional(),
    content: z.unknown().optional(),
  }),
)

const count = once(() => z.int().nonnegative())

const SettlementSchema = once(() =>
  z.looseObject({
    ended: z.string(),
    cost_microeur: z.int(),
    estimated: z.boolean(),
    usage: z
      .looseObject({
        input_uncached: count(),
        cache_read: count(),
        cache_write: count(),
        cache_write_hour: count(),
        output_visible: count(),
        reasoning: count(),
      })
      .nullable(),
    upstream_ms: z.int().nullable(),
    finish_reason: z.string().nullable(),
    error_cause: z.string().nullable(),
    model: z.string().optional(),
    served_model: z.string().optional(),
    route: z.string().optional(),
    host: z.string().optional(),
    places: z.array(z.string()).optional(),
  }),
)

/** True if the call's content was to be stored. */
export const hasPlannedContent = ({ facts }: TrailCall): boolean => FactsSchema().parse(facts).content !== undefined

export function presentTrailCall(call: TrailCall): AuditTrailEntry {
  const { trace_id, attestation_id, timestamp, org_id: organisation_id } = RecordSchema().parse(call.record)
  return { object: 'audit_trail_entry', trace_id, attestation_id, timestamp, organisation_id, ...presentCall(call) }
}

export function presentCall(call: TrailCall): ShownCall {
  const record = RecordSchema().parse(call.record)
  const facts = FactsSchema().parse(call.facts)
  const outcome = outcomeOfCall(call)
  return {
    key_id: facts.key_id,
    request_id: facts.request_id,
    request_hash: record.request_hash,
    model: record.model,
    provider: facts.provider,
    use_case: facts.use_case,
    cohort: facts.cohort ?? null,
    outcome,
    signed_outcome: record.outcome,
    rule: outcome === 'passed' ? null : (record.policy_applied[0] ?? null),
    reason: facts.reason,
    policy_version: facts.policy_version ?? null,
    approval: call.approval && presentApprovalOf(call.approval),
    data_region: facts.data_region ?? null,
    policy_applied: record.policy_applied,
    ...presentEnding(call, outcome),
    cost_prevented_eur: record.cost_prevented_eur,
    index: call.decision.position,
    leaf_hash: call.decision.leafHash.toHex(),
  }
}

const presentApprovalOf = ({ id, found }: CallApproval): ShownCall['approval'] => ({
  id,
  state: found && found.state,
  requested_at: found && new Date(found.createdAt).toISOString(),
  attestation_id: found && found.refusal.attestationId,
  index: found && found.refusal.position,
})

const NOT_SETTLED = {
  other_model: null,
  served_model: null,
  route: null,
  host: null,
  places: null,
  finish_reason: null,
  error_cause: null,
  answer_scan: null,
  response_ms: null,
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  cost_eur: null,
  cost_estimated: null,
  settlement_index: null,
  cost_correction_index: null,
}

function presentEnding({ ending, correction }: TrailCall, outcome: ShownCall['outcome']) {
  if (ending.state !== 'settled') {
    const hasRun = outcome === 'passed'
    const word = unsettledEnding(ending, outcome)
    return { ending: word, ...NOT_SETTLED, ...(!hasRun && { cost_eur: 0, cost_estimated: false }) }
  }
  const { position, entry } = ending.settlement
  const content = contentOf(entry)
  const settled = SettlementSchema().parse(content)
  return {
    ending: settledEndingOf(settled.ended),
    other_model: settled.model ?? null,
    served_model: settled.served_model ?? null,
    ...presentRoute(settled),
    finish_reason: settled.finish_reason,
    error_cause: settled.error_cause,
    answer_scan: presentScan(readAnswerScan(content)),
    response_ms: settled.upstream_ms,
    ...presentUsage(settled.usage),
    cost_eur: toEur(correction?.microeur ?? settled.cost_microeur),
    cost_estimated: settled.estimated && correction === null,
    settlement_index: position,
    cost_correction_index: correction && correction.position,
  }
}

const presentScan = (scan: AnswerScan | null): ShownCall['answer_scan'] =>
  scan && { ...scan, found: { ...scan.found }, stopped: [...scan.stopped], unread: [...scan.unread] }

/** A later route may be that of another provider than the decision names. */
function presentRoute({ route, host, places }: Infer<typeof SettlementSchema>) {
  const provider = providerOfEndpoint(route)
  return {
    ...(provider !== null && { provider }),
    route: route ?? null,
    host: host ?? null,
    places: places ?? null,
  }
}

function unsettledEnding(
  ending: Exclude<TrailCall['ending'], { state: 'settled' }>,
  outcome: ShownCall['outcome'],
): ShownCall['ending'] {
  switch (ending.state) {
    case 'open':
      return 'running'
    case 'held':
      return ending.ending
    case 'refused':
      return outcome === 'suppressed' ? 'suppressed' : 'blocked'
    case 'not_kept':
    case 'unreadable':
      return ending.state
  }
}

function presentUsage(usage: NonNullable<Infer<typeof SettlementSchema>['usage']> | null) {
  if (usage === null)
    return { input_tokens: null, cached_input_tokens: null, output_tokens: null, reasoning_tokens: null }
  return {
    input_tokens: usage.input_uncached + usage.cache_read + usage.cache_write + usage.cache_write_hour,
    cached_input_tokens: usage.cache_read,
    output_tokens: usage.output_visible + usage.reasoning,
    reasoning_tokens: usage.reasoning,
  }
}
