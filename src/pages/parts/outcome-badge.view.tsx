// How a call ended, as a sign, a word and a colour.
import type { Choice } from './filters.view.tsx'
import { Icon } from './icon.view.tsx'
import { blocked, check, failed, held, suppressed, type IconPaths } from './icons.ts'

/** The word and the sign of each outcome. A call that passed and did not end well has failed. */
const BADGES = {
  passed: ['Passed', check],
  held: ['Held', held],
  blocked: ['Blocked', blocked],
  suppressed: ['Suppressed', suppressed],
  failed: ['Failed', failed],
} as const satisfies Readonly<Record<string, readonly [word: string, sign: IconPaths]>>

export type Outcome = Exclude<keyof typeof BADGES, 'failed'>

/** Endings of calls that passed and did not end well. */
export const FAILED_ENDINGS: readonly string[] = ['failed', 'cancelled', 'interrupted']

export const OUTCOME_CHOICES: readonly Choice[] = Object.entries(BADGES).map(([value, [name]]) => ({ value, name }))

export function OutcomeBadge({ outcome, ending = null }: { outcome: Outcome; ending?: string | null }) {
  const shown = outcome === 'passed' && ending !== null && FAILED_ENDINGS.includes(ending) ? 'failed' : outcome
  const [word, sign] = BADGES[shown]
  return (
    <span class={`outcome ${shown}`}>
      <Icon of={sign} />
      {word}
    </span>
  )
}
