// What calls are counted and compared by, with its words: a row a property of a call.

/**
 * Databases store numbers by the order of the rows: never change it. The names of the rows are values of the API and columns of
 * the usage tables. `member`: what answers call the value. `name` is for use within a sentence, `plural` for the comparisons of a
 * report.
 */
export const GROUPING_TABLE = {
  cohort: { member: 'cohort', name: 'comparison group', plural: 'cohorts that callers declared' },
  model: { member: 'model', name: 'model', plural: 'models' },
  key: { member: 'key_id', name: 'key', plural: 'API keys' },
  use_case: { member: 'use_case', name: 'use case', plural: 'use cases' },
} as const

export type Grouping = keyof typeof GROUPING_TABLE
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
export const GROUPINGS = Object.keys(GROUPING_TABLE) as Grouping[]

/** Every call is counted by these. Cohorts have counts of their own, because few calls declare one, and approvals have none. */
export const COUNTED_GROUPINGS = GROUPINGS.filter((by) => by !== 'cohort')
export type CountedGrouping = (typeof COUNTED_GROUPINGS)[number]
