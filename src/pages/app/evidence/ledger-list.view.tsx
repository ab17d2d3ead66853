// A filtered list from the log, page by page, for the audit and receipts pages. Counts entries that could not be read.
import type { List } from '../../../platform/pagination.schema.ts'
import type { Query } from '../../api/call.ts'
import { useList, type Listed } from '../../api/use-list.ts'
import type { Filter } from '../../parts/filters.view.tsx'
import { plural } from '../../text/format.ts'
import { callApi } from '../session.ts'
import { OUTCOMES } from './record.view.tsx'
import { useState } from 'preact/hooks'
import { Notice } from '../../parts/blocks.view.tsx'

type LedgerPage<T> = List<T> & { unreadable_entries: number }

export function useLedgerList<T>(
  path: string,
  filters: Query,
): { listed: Listed<T>; unreadable: number; isOpening: boolean } {
  const [unreadable, setUnreadable] = useState(0)
  // The first answer tells whether the tier includes the list. The page waits for it, so that nothing jumps.
  const [isOpening, setOpening] = useState(true)
  const listed = useList<T>(
    async (cursor, signal) => {
      const query = { ...filters, limit: 100, cursor }
      const answer = await callApi<LedgerPage<T>>('GET', path, { query, signal })
      setOpening(false)
      if (answer.outcome === 'answered') {
        const { unreadable_entries: count } = answer.body
        setUnreadable((before) => (cursor === null ? 0 : before) + count)
      }
      return answer
    },
    [JSON.stringify(filters)],
  )
  return { listed, unreadable, isOpening }
}

export const PERIOD_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
]

/** Returns the period in the URL: UTC days, both included. */
export const periodIn = (members: URLSearchParams) => ({ start: members.get('from'), end: members.get('to') })

export const PERIOD_NOTE = 'Days in UTC, both included. Without them: the last 30 days.'

export const OUTCOME_FILTER: Filter = {
  name: 'outcome',
  label: 'Outcome',
  kind: 'choice',
  all: 'Every outcome',
  choices: OUTCOMES.map((value) => ({ value, name: value })),
}

/** Warns of log entries that could not be read. */
export const UnreadableEntries = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Notice look="warn" role="status" title={`${plural(count, 'entry', 'entries')} of the log cannot be read`}>
      They should be there, and what they say is not among these. Tell the operator.
    </Notice>
  )
