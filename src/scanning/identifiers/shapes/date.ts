// Finds dates in all ways to write them. The search for dates of birth needs them.
import { defineShape } from '../finding.ts'
import { incompleteDates } from './incomplete-date.ts'
import { namedMonthDates } from './named-month-date.ts'
import { numericDates } from './numeric-date.ts'

export const date = defineShape(
  { id: 'date', group: 'person', name: 'date', rank: 6 },
  numericDates,
  namedMonthDates,
  incompleteDates,
)
