// The days that a page is about, as its address names them and as the service is asked for them.
import type { Filter } from '../../parts/filters.view.tsx'

export const PERIOD_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
]

/** UTC days, both included. */
export const periodIn = (members: URLSearchParams) => ({ start: members.get('from'), end: members.get('to') })

export const PERIOD_NOTE = 'Days in UTC, both included. Without them: the last 30 days.'
