// Defines the events that an organisation can be notified of. Data are facts from the log, never text of a request or answer.

/** `period_start`: the first day of the period, in UTC. `key_id`: null for the budget of the whole organisation. */
type BudgetFacts = {
  period: 'month' | 'day'
  period_start: string
  key_id: string | null
  budget_microeur: number
  spent_microeur: number
}

/** Who made a change, as in the log: `usr_…`, `key_…` or `operator`. */
type Cause = { actor: string; request_id: string }

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
  /** At most one a key in 60 seconds. `found`: how often each shape was found. `stopped`: the shapes for which the answer was stopped. */
  'answer.withheld': {
    key_id: string
    model: string | null
    attestation_id: string | null
    found: Readonly<Record<string, number>>
    stopped: readonly string[]
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
  /** `sha256`: of the document. `changed_rules`: the members of the document that are new, changed or gone. */
  'policy.changed': Cause & { version: number; sha256: string; changed_rules: readonly string[] }
  /** `settings`: the names of those that changed. */
  'settings.changed': Cause & { settings: readonly string[] }
  /** A key was made, rotated (this is the new key) or issued by the operator. */
  'key.created': Cause & {
    key_id: string
    prefix: string
    scopes: readonly string[]
    evaluation: boolean
    expires_at: string | null
    created_by: string
  }
  /** A week before a key ends that was made for longer and has no successor. */
  'key.expiring': { key_id: string; prefix: string; expires_at: string }
  /** `role`: after the change; for `removed`, the one before. `previous_role`: null unless the role changed. */
  'member.changed': Cause & {
    member_id: string
    change: 'joined' | 'role' | 'removed' | 'access_end'
    role: string
    previous_role: string | null
    keys_revoked: number
  }
  /** A member set up or removed a second factor, its codes were locked, or all of theirs were reset. `kind`: null for all. */
  'factor.changed': Cause & {
    member_id: string
    change: 'added' | 'removed' | 'locked' | 'reset'
    kind: 'passkey' | 'totp' | null
  }
  /** A member signed in from a network that they did not use in the last 30 days. No message says which. */
  'sign_in.new_place': { member_id: string; method: string; second_factor: string | null }
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
  'answer.withheld',
  'budget.threshold_reached',
  'budget.exhausted',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'approval.withdrawn',
  'approval.executed',
  'anomaly.detected',
  'policy.changed',
  'settings.changed',
  'key.created',
  'key.expiring',
  'member.changed',
  'factor.changed',
  'sign_in.new_place',
] as const satisfies MessageType[]
export type EventType = (typeof EVENT_TYPES)[number]

export type NotificationEvent = { [Type in MessageType]: { type: Type; data: EventData[Type] } }[MessageType]

/**
 * Returns a message's body: the members that Standard Webhooks names, and the organisation of the event.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const bodyOfEvent = ({ type, data }: NotificationEvent, organisationId: string, now: number): string =>
  JSON.stringify({ type, timestamp: new Date(now).toISOString(), organisation_id: organisationId, data })
