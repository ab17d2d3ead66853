// The words for an anomaly: its values, and the series that it was also seen in.
import { describe, expect, it } from 'vitest'
import { seenIn, valueFormat, type Alarm } from '../../../../src/pages/app/anomalies/anomaly-words.ts'

const ALARM: Alarm = {
  kind: 'failed_rate',
  series: 'all',
  since: '2026-11-18T09:00:00Z',
  value: 0.12,
  baseline: 0.02,
  statistic: 18,
  threshold: 14,
  change: 2,
}

describe('the usual value and the one seen', () => {
  it.each([
    ['failed_rate', 0.02, 0.12, ['2%', '12%']],
    ['failed_rate', 0.0201, 0.0204, ['2.01%', '2.04%']],
    ['blocked_rate', 0.000_001, 0.000_002, ['0.0001%', '0.0002%']],
    ['p95_latency', 0.8, 1.2, ['0.8 ms', '1.2 ms']],
    ['cost_per_call', 0.01, 0.0144, ['€0.01', '€0.0144']],
    ['volume', 41, 9, ['41 calls', '9 calls']],
  ])('of %s, %d and %d, are told apart', (kind, baseline, value, texts) => {
    expect([baseline, value].map(valueFormat({ ...ALARM, kind, baseline, value }))).toEqual(texts)
  })
})

it.each([
  ['all', 'failed_rate', 'all calls'],
  ['key:key_1', 'failed_rate', 'key Ward 4'],
  ['use_case:(none)', 'failed_rate', 'calls without a use case'],
  ['model:Keyed-1', 'failed_rate', 'Keyed-1'],
  ['all', 'p95_latency', 'Calls take longer'],
])('%s, as %s, is also seen in “%s”', (series, kind, text) => {
  expect(seenIn({ ...ALARM, series, kind }, ALARM, () => 'Ward 4')).toBe(text)
})
