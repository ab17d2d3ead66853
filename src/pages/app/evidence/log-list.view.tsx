// For the page of calls: a list from the log, page by page, its filters, and a warning of entries that cannot be read.
import type { List } from '../../../platform/pagination.schema.ts'
import type { Query } from '../../api/send-request.ts'
import { useList, type LoadedList } from '../../api/use-list.ts'
import { dayIn } from '../../text/day.ts'
import { plural } from '../../text/format.ts'
import { callApi } from '../session.ts'
import { useState } from 'preact/hooks'
import { Notice } from '../../parts/page-blocks.view.tsx'

/** How many entries of each page could not be read, by its cursor. `key`: the filters of the list. */
type UnreadableSeen = { key: string; pages: Readonly<Record<string, number>> }

/** A look for what is new reads so many. */
export const MOST_LOOKED = 20

type LogPage<T> = List<T> & { unreadable_entries: number }

export function useLogList<T>(
  path: string,
  filters: Query,
): { listed: LoadedList<T>; unreadable: number; isFirstLoad: boolean } {
  const key = JSON.stringify(filters)
  // By page: the first page is read again and again, and the others still count.
  const [seen, setSeen] = useState<UnreadableSeen>({ key, pages: {} })
  // The first answer tells whether the tier includes the list. The page waits for it, so that nothing jumps.
  const [isFirstLoad, setOpening] = useState(true)
  const listed = useList<T>(
    async (cursor, signal, isLook) => {
      const query = { ...filters, limit: isLook ? MOST_LOOKED : 100, cursor }
      const answer = await callApi<LogPage<T>>('GET', path, { query, signal })
      setOpening(false)
      if (answer.outcome === 'answered' && !signal.aborted && !isLook) {
        const { unreadable_entries: count } = answer.body
        setSeen((before) => ({
          key,
          pages: { ...(before.key === key && before.pages), [cursor ?? '']: count },
        }))
      }
      return answer
    },
    [key],
  )
  const unreadable = seen.key === key ? Object.values(seen.pages).reduce((sum, count) => sum + count, 0) : 0
  return { listed, unreadable, isFirstLoad }
}

/** Returns the period in the URL: UTC days, both included. What is no day is left out. */
export const periodIn = (parameters: URLSearchParams) => ({
  start: dayIn(parameters.get('from')),
  end: dayIn(parameters.get('to')),
})

export const UnreadableEntries = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Notice tone="warn" role="status" title={`${plural(count, 'entry', 'entries')} of the log cannot be read`}>
      They should be there, and what they say is not among these. Tell the operator.
    </Notice>
  )
