// What an organisation can be notified of. Data are facts as the ledger has them: never the text of a request or an answer.
import type { KeyId } from '../platform/ids.ts'

export type EventData = {
  'loop.detected': { key_id: KeyId; model: string; attestation_id: string; quiet_seconds: number }
  'budget.threshold_reached': {
    period: 'month'
    /** As `2026-11`, in UTC. */
    month: string
    percent: number
    budget_microeur: number
    spent_microeur: number
  }
  'webhook.test': Record<string, never>
}

export type EventType = keyof EventData

/** Those that an organisation chooses from. A test is sent whenever it is asked for. */
export const EVENT_TYPES = ['loop.detected', 'budget.threshold_reached'] as const satisfies EventType[]

export type NotificationEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType]

/** The body of a message: the members that Standard Webhooks names, and whose event it is. */
export const bodyOfEvent = ({ type, data }: NotificationEvent, organisationId: string, now: number): string =>
  JSON.stringify({ type, timestamp: new Date(now).toISOString(), organisation_id: organisationId, data })
