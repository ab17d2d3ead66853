// The events that members can be mailed about: what each is called, and the page that has more. Pure.
import type { EventType } from './webhook-events.ts'

type Words = {
  page: string
  /** What happened, once and several times. */
  one: string
  many: (count: number) => string
}

const TABLE = {
  'approval.requested': {
    page: '/app/approvals',
    one: 'A request waits for approval',
    many: (count: number) => `${count} requests were held for approval`,
  },
  'budget.threshold_reached': {
    page: '/app/analytics',
    one: '80% of a budget is used',
    many: (count: number) => `80% of a budget was used, ${count} times`,
  },
  'anomaly.detected': {
    page: '/app/anomalies',
    one: 'A new anomaly was found',
    many: (count: number) => `${count} new anomalies were found`,
  },
  'key.expiring': {
    page: '/app/keys',
    one: 'An API key ends within a week',
    many: (count: number) => `${count} API keys end within a week`,
  },
  'policy.changed': {
    page: '/app/policies',
    one: 'The policy was changed',
    many: (count: number) => `The policy was changed ${count} times`,
  },
} as const satisfies Partial<Record<EventType, Words>>

export type NoticeType = keyof typeof TABLE
export const NOTICE_TYPES = [
  'approval.requested',
  'budget.threshold_reached',
  'anomaly.detected',
  'key.expiring',
  'policy.changed',
] as const satisfies readonly NoticeType[]

export const pageOfNotice = (type: NoticeType): string => TABLE[type].page

/** Returns what happened, once or several times. */
export const nameOfNotices = (type: NoticeType, count: number): string =>
  count === 1 ? TABLE[type].one : TABLE[type].many(count)
