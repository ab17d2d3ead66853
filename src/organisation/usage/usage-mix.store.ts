// Reads what groups of calls were used for: their sums by use case and model over a range of days. Only each day's rows have both,
// so it limits how many it reads. Use it in a turn in which every entry is counted.
import type { Grouping } from '../../platform/groupings.ts'
import { exec, sql, trusted } from '../../platform/sql.ts'
import { ENDING_SUMS } from './counted-days.store.ts'
import { COUNTED_CALLS, type Days } from './usage-sums.store.ts'
import type { Endings } from '../../evidence/records/call-endings.ts'

/** The most rows that are read: about 95 ms. */
const MOST_ROWS = 100_000

/** Null: the calls name none. */
export type MixSum = Endings & { value: string | null; model: string | null; use_case: string | null; refused: number }

/** Returns sums by value of `by`, use case and model. Null if there are too many rows. Calls that declare no cohort are in no cohort. */
export function readUsageMix(storage: SqlStorage, by: Grouping, { first, last }: Days): MixSum[] | null {
  const isCohort = by === 'cohort'
  const { n } = exec<{ n: number }>(
    storage,
    sql`SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${isCohort ? sql`usage_cohorts` : sql`usage_days`}
      WHERE day BETWEEN ${first} AND ${last} LIMIT ${MOST_ROWS + 1})`,
  ).one()
  if (n > MOST_ROWS) return null
  return exec<MixSum>(
    storage,
    sql`SELECT groups.name AS value, models.name AS model, use_cases.name AS use_case, sums.*
      FROM (
        SELECT ${trusted(by)} AS value_number, model AS model_number, use_case AS use_case_number,
          ${ENDING_SUMS}, sum(refused) AS refused
        FROM ${isCohort ? sql`usage_cohorts` : COUNTED_CALLS}
        WHERE day BETWEEN ${first} AND ${last} GROUP BY ${trusted([...new Set([by, 'model', 'use_case'])].join(', '))}
      ) AS sums
      LEFT JOIN usage_names AS groups ON groups.id = value_number
      LEFT JOIN usage_names AS models ON models.id = model_number
      LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case_number`,
  ).toArray()
}
