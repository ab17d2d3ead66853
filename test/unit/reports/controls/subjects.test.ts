// Tests the subjects of a statement: each form whole, with nothing before or behind it.
import { expect, it } from 'vitest'
import { isStatementSubject } from '../../../../src/reports/controls/monitoring-controls.ts'

const WHOLE = [
  'anomaly:failed:gpt-4.1-mini:2091-03-01',
  'anomaly:failed:gpt-4.1-mini:2091-03-01T05:00:00.000Z',
  'disparity:cohort:blocked:group-b',
  `incident:tr_${'0'.repeat(32)}`,
]

it('is a control that needs a person, an anomaly, a disparity or an incident', () => {
  for (const subject of ['X1', 'X4', ...WHOLE]) expect([subject, isStatementSubject(subject)]).toEqual([subject, true])
})

const PARTS = ['anomaly:failed', 'disparity:person:blocked:a', 'incident:tr_1']

it.each([
  'X5',
  'L1',
  'x1',
  'X1 ',
  ...PARTS,
  ...WHOLE.flatMap((one) => [`a ${one}`, `${one} a`, `${one}\n`, one.toUpperCase()]),
])('is not %j', (subject) => {
  expect(isStatementSubject(subject)).toBe(false)
})
