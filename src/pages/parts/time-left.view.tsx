// How long something is still there, counting down.
import { formatTimeLeft, formatMoment } from '../text/format.ts'
import { useNow } from './use-now.ts'

/** @param until ISO 8601 */
export function TimeLeft({ until }: { until: string }) {
  const now = useNow()
  const left = Date.parse(until) - now
  return (
    <time dateTime={until} title={formatMoment(new Date(until), false)}>
      {left <= 0 ? 'over' : formatTimeLeft(left)}
    </time>
  )
}
