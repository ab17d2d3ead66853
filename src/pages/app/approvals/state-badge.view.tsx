// Small signs of an approval: its state, and the time left to decide it.
import { Icon } from '../../parts/icon.view.tsx'
import { clock } from '../../parts/icons.ts'
import { useNow } from '../../parts/times.view.tsx'
import { formatTimeLeft } from '../../text/format.ts'
import { STATES, type State } from './approval-words.ts'

export function StateBadge({ state }: { state: State }) {
  const { words, look, icon } = STATES[state]
  return (
    <span class={`badge with-icon ${look}`}>
      <Icon of={icon} />
      {words}
    </span>
  )
}

/** Counts down until nobody can decide it any more. */
export function TimeLeftBadge({ until }: { until: string }) {
  const left = Date.parse(until) - useNow()
  return (
    <span class={`badge with-icon ${left > 0 ? 'warn' : 'soft'}`}>
      <Icon of={clock} />
      <time dateTime={until}>{left > 0 ? `${formatTimeLeft(left)} left` : 'Time is over'}</time>
    </span>
  )
}
