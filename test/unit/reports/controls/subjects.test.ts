// Tests the subjects of a statement: each form whole, with nothing before or behind it, and the alarms of an anomaly.
import { expect, it } from 'vitest'
import { judgeControls } from '../../../../src/reports/controls/checklist.ts'
import { isStatementSubject } from '../../../../src/reports/controls/monitoring-controls.ts'
import { NOW, PERSON, soundFacts } from './sound-facts.ts'

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

it('is any alarm of an anomaly, which counts once', () => {
  const [first, second, other] = ['anomaly:failed_rate:all:1', 'anomaly:failed_rate:key:a:1', 'anomaly:volume:all:2']
  const anomalies = [{ subject: first, alarms: [first, second] }, { subject: other }]
  const facts = { monitoring: { ...soundFacts().monitoring, anomalies } }
  const about = (subject: string) => {
    return { subject, text: 'x', lookedAt: 'x', cause: null, date: null, statedBy: PERSON, statedAt: NOW }
  }
  const watched = (...stated: string[]) =>
    judgeControls(soundFacts({ ...facts, statements: stated.map(about) })).find(({ id }) => id === 'M1')
  expect(watched(second)).toMatchObject({
    state: 'fail',
    stated: [{ subject: second }],
    evidence: { values: { found: 2, unexplained: 1, without_statement: [other] } },
  })
  expect(watched(second, other)?.state).toBe('stated')
  expect(watched('anomaly:failed_rate:key:b:1')).toMatchObject({ evidence: { values: { unexplained: 2 } } })
})
