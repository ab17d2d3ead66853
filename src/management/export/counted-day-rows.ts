// Makes the export rows of a day's counted calls: one per key, model, use case and ending, and, for cohorts, one per cohort,
// model, use case and ending.
import { dateOf } from '../../platform/time.ts'
import { toEur } from '../../platform/money.ts'
import type { CountedDay } from '../../organisation/usage/counted-days.store.ts'
import type { Row } from './export-row.ts'

export const COUNTED_DAY_COLUMNS = [
  'date',
  'model',
  'use_case',
  'cohort',
  'ending',
  'refused',
  'estimated',
  'prevented_eur',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'response_ms',
  'timed_requests',
]

export function describeCountedDay({ day, rows, cohorts }: CountedDay): Row[] {
  const date = dateOf(day)
  const idOf = (...names: (string | null)[]): string => [date, ...names.map((name) => name ?? '')].join('/')
  return [
    ...rows.map(({ keyId, model, useCase, ending, sums }) => ({
      id: idOf(keyId, model, useCase, ending),
      object: 'usage_day',
      date,
      key_id: keyId,
      model,
      use_case: useCase,
      ending,
      requests: sums.requests,
      refused: sums.refused,
      estimated: sums.estimated,
      spent_eur: toEur(sums.cost_microeur),
      prevented_eur: toEur(sums.prevented_microeur),
      input_tokens: sums.input + sums.cache_read + sums.cache_write,
      cached_input_tokens: sums.cache_read,
      output_tokens: sums.output + sums.reasoning,
      response_ms: sums.upstream_ms,
      timed_requests: sums.timed,
    })),
    ...cohorts.map(({ cohort, model, useCase, ending, requests, refused }) => ({
      id: idOf(cohort, model, useCase, ending),
      object: 'usage_cohort_day',
      date,
      cohort,
      model,
      use_case: useCase,
      ending,
      requests,
      refused,
    })),
  ]
}
