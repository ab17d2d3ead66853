// Defines the events that an organisation can be notified of. Data are facts from the log, never text of a request or answer.

/** `period_start`: the first day of the period, in UTC. `key_id`: null for the budget of the whole organisation. */
type BudgetFacts = {
  period: 'month' | 'day'
  period_start: string
  key_id: string | null
  budget_microeur: number
  spent_microeur: number
}

type ApprovalFacts = { approval_id: string; key_id: string }

export type EventData = {
  /** `suppressed`: false for a key for evaluation, whose calls run. */
  'loop.detected': {
    key_id: string
    model: string
    attestation_id: string
    quiet_seconds: number
    suppressed: boolean
  }
  'budget.threshold_reached': BudgetFacts & { percent: number }
  /** The first call of the period that was refused, because its highest possible cost did not fit the budget. */
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
  /** `state`: the state of the approval after the decision. */
  'approval.decided': ApprovalFacts & { decision: string; decided_by: string; state: string }
  /** `state`: the state of the approval before it expired. */
  'approval.expired': ApprovalFacts & { state: string }
  /** The policy or the key changed. `state`: the state of the approval before that. */
  'approval.withdrawn': ApprovalFacts & { state: string; why: string }
  /** The request ran, or may have reached a provider. */
  'approval.executed': ApprovalFacts
  /** docs/compare-groups.md explains `series`, `since` and the numbers. */
  'anomaly.detected': {
    kind: string
    series: string
    since: string
    value: number
    baseline: number
    statistic: number
    threshold: number
    change: number | null
  }
  'webhook.test': Record<string, never>
}

/** The types of all messages, tests included. */
export type MessageType = keyof EventData

/**
 * The events that an organisation can choose. A webhook stores the names of its events, even if it was set to all of them. So an
 * event added here reaches no existing webhook until its organisation sets it again. Tests are sent on request.
 */
export const EVENT_TYPES = [
  'loop.detected',
  'budget.threshold_reached',
  'budget.exhausted',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'approval.withdrawn',
  'approval.executed',
  'anomaly.detected',
] as const satisfies MessageType[]
export type EventType = (typeof EVENT_TYPES)[number]

export type NotificationEvent = { [Type in MessageType]: { type: Type; data: EventData[Type] } }[MessageType]

/**
 * Returns a message's body: the members that Standard Webhooks names, and the organisation of the event.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const bodyOfEvent = ({ type, data }: NotificationEvent, organisationId: string, now: number): string =>
  JSON.stringify({ type, timestamp: new Date(now).toISOString(), organisation_id: organisationId, data })
