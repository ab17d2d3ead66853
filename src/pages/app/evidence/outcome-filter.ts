// Narrowing a list of calls down to those that were decided alike.
import type { Filter } from '../../parts/filters.view.tsx'
import { OUTCOMES } from './words.ts'

export const OUTCOME_FILTER: Filter = {
  name: 'outcome',
  label: 'Outcome',
  kind: 'choice',
  all: 'Every outcome',
  choices: OUTCOMES.map((value) => ({ value, name: value })),
}
