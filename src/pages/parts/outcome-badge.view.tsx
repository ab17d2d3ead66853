// How a call ended, as a sign, a word and a colour.
import { outcomeName, SHOWN_OUTCOMES, shownOutcomeOf, type ShownOutcome } from '../../evidence/records/call-endings.ts'
import { Icon } from './icon.view.tsx'
import { blocked, check, cut, failed, held, suppressed, type IconPaths } from './icons.ts'

const SIGNS: Readonly<Record<ShownOutcome, IconPaths>> = {
  passed: check,
  held,
  blocked,
  suppressed,
  failed,
  stopped: cut,
}

export const OUTCOME_CHOICES = SHOWN_OUTCOMES.map(({ name, says }) => ({ value: name, name: says }))

/** @param ending of a call that passed; null if it is not known */
export function OutcomeBadge({ outcome, ending = null }: { outcome: ShownOutcome; ending?: string | null }) {
  const shown = shownOutcomeOf(outcome, ending)
  return (
    // The policy stops both.
    <span class={`outcome ${shown === 'stopped' ? 'blocked' : shown}`}>
      <Icon of={SIGNS[shown]} />
      {outcomeName(shown)}
    </span>
  )
}
