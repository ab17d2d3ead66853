// Small signs of an approval: its state, and the time left to decide it.
import { clock } from '../../parts/icons.ts'
import { Badge } from '../../parts/badge.view.tsx'
import { TimeLeft, useNow } from '../../parts/times.view.tsx'
import { formatTimeLeft } from '../../text/format.ts'
import { STATES, type State } from './approval-words.ts'

export function StateBadge({ state }: { state: State }) {
  const { words, ...look } = STATES[state]
  return <Badge {...look}>{words}</Badge>
}

/** Counts down until nobody can decide it any more. */
export function TimeLeftBadge({ until }: { until: string }) {
  const left = Date.parse(until) - useNow()
  return (
    <Badge icon={clock} tone={left > 0 ? 'warn' : 'soft'}>
      <time dateTime={until}>{left > 0 ? `${formatTimeLeft(left)} left` : 'Time is over'}</time>
    </Badge>
  )
}

export const TimeLeftText = ({ until }: { until: string }) => (
  <>
    <TimeLeft until={until} /> left
  </>
)
