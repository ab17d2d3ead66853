// What became of a call.
import { OUTCOME_LOOKS, type Outcome } from './words.ts'

export const OutcomeBadge = ({ outcome }: { outcome: Outcome }) => (
  <span class={`badge ${OUTCOME_LOOKS[outcome]}`}>{outcome}</span>
)
