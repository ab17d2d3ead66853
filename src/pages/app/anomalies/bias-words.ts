// The groups, outcomes and verdicts of bias detection, in words. A verdict is shown in the very word of the answer.
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { formatEuro, formatNumber, formatPercent } from '../../text/format.ts'

export type Comparison = BiasDetection['comparisons'][number]
export type Verdict = Comparison['verdict']
type By = BiasDetection['by']
type Outcome = BiasDetection['outcome']

export const GROUPING_WORDS: Readonly<Record<By, string>> = {
  cohort: 'cohort',
  key: 'key',
  model: 'model',
  use_case: 'use case',
}

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  answered: 'answered',
  refused: 'refused by the model',
  blocked: 'blocked',
  suppressed: 'suppressed as a loop',
  failed: 'failed at the provider',
  approved: 'approved by people',
}

/** As a heading or the title of a chart begins. */
export const outcomeTitle = (outcome: Outcome): string =>
  `${OUTCOME_WORDS[outcome].slice(0, 1).toUpperCase()}${OUTCOME_WORDS[outcome].slice(1)}`

/** What each means (docs/bias-detection.md). */
export const VERDICTS: Readonly<Record<Verdict, { look: 'soft' | 'bad' | 'good' | 'warn'; means: string }>> = {
  not_enough_data: { look: 'soft', means: 'There are too few calls to say anything.' },
  disparity: { look: 'bad', means: 'A difference is shown, and it is large. It is a reason to look.' },
  within: { look: 'good', means: 'Both intervals lie inside 0.8 to 1.25.' },
  uncertain: { look: 'warn', means: 'No difference is shown, and none excluded.' },
}

type Interval = readonly [number, number] | readonly number[] | null

export const intervalText = (interval: Interval, format: (value: number) => string): string | null => {
  const [from, to] = interval ?? []
  return from === undefined || to === undefined ? null : `${format(from)} to ${format(to)}`
}

/** In a table: there is too little for it. */
const NOT_KNOWN = '–'

/** “0.85 (0.72 to 1.01)”. */
export function withInterval(value: number | null, interval: Interval, format: (value: number) => string): string {
  if (value === null) return NOT_KNOWN
  const range = intervalText(interval, format)
  return range === null ? format(value) : `${format(value)} (${range})`
}

export const formatP = (p: number | null): string =>
  p === null ? NOT_KNOWN : p < 0.001 ? 'below 0.001' : formatNumber(p)

/** In the unit of its kind: a share, calls, milliseconds, euro. */
export function anomalyValue(kind: string, value: number): string {
  if (kind.endsWith('_rate')) return formatPercent(value)
  if (kind === 'p95_latency') return `${formatNumber(Math.round(value))} ms`
  if (kind === 'cost_per_call') return formatEuro(value)
  return `${formatNumber(value)} calls`
}
