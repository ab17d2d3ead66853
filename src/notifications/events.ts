// What an organisation can be notified of. Data are facts as the ledger has them: never the text of a request or an answer.

/** `period_start`: its first day, in UTC. `key_id`: null where the budget is the whole organisation's. */
type BudgetFacts = {
  period: 'month' | 'day'
  period_start: string
  key_id: string | null
  budget_microeur: number
  spent_microeur: number
}

type ApprovalFacts = { approval_id: string; key_id: string }

export type EventData = {
  'loop.detected': { key_id: string; model: string; attestation_id: string; quiet_seconds: number }
  'budget.threshold_reached': BudgetFacts & { percent: number }
  /** The first call of the period that was refused because what it might cost did not fit any more. */
  'budget.exhausted': BudgetFacts & { reserved_microeur: number }
  'approval.requested': ApprovalFacts & {
    attestation_id: string
    model: string
    provider: string
    use_case: string | null
    reserve_microeur: number
    approvals_required: number
    expires_at: string
  }
  /** `state`: what the approval is then. */
  'approval.decided': ApprovalFacts & { decision: string; decided_by: string; state: string }
  /** `state`: what it was until then. */
  'approval.expired': ApprovalFacts & { state: string }
  /** `series`, `since` and what the numbers are: docs/bias-detection.md. */
  'anomaly.detected': {
    kind: string
    series: string
    since: string
    value: number
    baseline: number
    statistic: number
    threshold: number
  }
  'webhook.test': Record<string, never>
}

/** What a message can be of. */
export type MessageType = keyof EventData

/** Those that an organisation chooses from. A test is sent whenever it is asked for. */
export const EVENT_TYPES = [
  'loop.detected',
  'budget.threshold_reached',
  'budget.exhausted',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'anomaly.detected',
] as const satisfies MessageType[]
export type EventType = (typeof EVENT_TYPES)[number]

export type NotificationEvent = { [Type in MessageType]: { type: Type; data: EventData[Type] } }[MessageType]

/** The body of a message: the members that Standard Webhooks names, and whose event it is. */
export const bodyOfEvent = ({ type, data }: NotificationEvent, organisationId: string, now: number): string =>
  JSON.stringify({ type, timestamp: new Date(now).toISOString(), organisation_id: organisationId, data })
