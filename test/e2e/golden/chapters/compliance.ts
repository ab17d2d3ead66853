import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const FINE = { text: 'Fine', looked_at: 'The list.' }

type Score = { controls: { id: string; weight: number; state: string }[] }

const controlsOf = (score: unknown): string =>
  (score as Score).controls.map(({ id, weight, state }) => `${id} ${weight} ${state}`).join(', ')

export const compliance: Script = async ({ stage, send }) => {
  const { id, owner, auditor, developer } = await stage.organisation('Compliance', ['owner', 'auditor', 'developer'], {
    tier: 'healthcare',
  })
  const free = await stage.organisation('Free of charge', ['owner'], { tier: 'free' })
  const manager = await stage.key(id, { scopes: ['manage'] })
  const base = '/api/compliance'
  await send('no statements yet', auditor, 'GET', `${base}/statements`)
  const subject = 'X1'
  await send('state', owner, 'PUT', `${base}/statements/${subject}`, {
    text: 'We have looked at it.',
    looked_at: 'The list.',
    date: '2024-01-31',
  })
  await send('state of an anomaly that is none', owner, 'PUT', `${base}/statements/anomaly:x:y:z`, FINE)
  await send(
    'state of an incident that is none',
    owner,
    'PUT',
    `${base}/statements/incident:tr_${'0'.repeat(32)}`,
    FINE,
  )
  await send('state it again', owner, 'PUT', `${base}/statements/${subject}`, {
    ...FINE,
    text: 'We have looked again.',
  })
  await send('state a cause that is none', owner, 'PUT', `${base}/statements/${subject}`, { ...FINE, cause: 'x' })
  await send('state nothing', owner, 'PUT', `${base}/statements/${subject}`, {})
  await send('state a subject that is none', owner, 'PUT', `${base}/statements/weather`, FINE)
  await send('state as an auditor', auditor, 'PUT', `${base}/statements/${subject}`, FINE)
  await send('state as a developer', developer, 'PUT', `${base}/statements/${subject}`, FINE)
  const standing = await send('statements that stand', auditor, 'GET', `${base}/statements`)
  const incident = { subject: `incident:tr_${'0'.repeat(32)}`, ...FINE, date: null }
  expect(standing.json.data).toMatchObject([{ subject, text: 'We have looked again.', date: null }, incident])
  const back = await send('take one back', owner, 'DELETE', `${base}/statements/${subject}`)
  expect(back.json).toMatchObject({ subject })
  await send('take it back again', owner, 'DELETE', `${base}/statements/${subject}`)
  const score = await send('the score', auditor, 'GET', `${base}/score`)
  const nothing = { percent: null, calls: 0, calls_needed: 100 }
  expect(score.json).toMatchObject({ report_id: null, score: nothing })
  expect(controlsOf(score.json)).toBe(CONTROLS)
  await send('the score by a key', manager, 'GET', `${base}/score`)
  await send('the score at a time before', auditor, 'GET', `${base}/score?at=2020-01-01T00:00:00Z`)
  await send('the score at a time that is none', auditor, 'GET', `${base}/score?at=now`)
  const least = await send('the score on the tier Free', free.owner, 'GET', `${base}/score`)
  expect(least.json).toMatchObject({ score: nothing })
  await send('no reports yet', auditor, 'GET', `${base}/reports`)
  const report = await send('make a report', auditor, 'POST', `${base}/report`, {
    start: '2024-01-01',
    end: '2024-01-31',
  })
  await send('make a report from end to start', auditor, 'POST', `${base}/report`, {
    start: '2024-01-31',
    end: '2024-01-01',
  })
  await send('make a report as a developer', developer, 'POST', `${base}/report`, {})
  const period = { start: '2024-01-01', end: '2024-01-31' }
  expect(report.json).toMatchObject({ ...period, organisation: { id, name: 'Compliance' }, score: nothing })
  expect(controlsOf(report.json)).toBe(CONTROLS)
  const reports = await send('reports', auditor, 'GET', `${base}/reports`)
  expect(reports.json.data).toMatchObject([{ id: report.json.id, ...period }])
  await send('a report', auditor, 'GET', `${base}/report/${report.json.id}`)
  await send('a report that does not exist', auditor, 'GET', `${base}/report/rep_00000000-0000-4000-8000-000000000000`)
  await send('a report as a PDF', auditor, 'POST', `${base}/export`, { report_id: report.json.id }, { omitBody: true })
  await send('a PDF of a report that does not exist', auditor, 'POST', `${base}/export`, {
    report_id: 'rep_00000000-0000-4000-8000-000000000000',
  })
  await send('a PDF of a report that is none', auditor, 'POST', `${base}/export`, { report_id: 'x' })
}

/** Each control of the checklist with its weight and state. */
const CONTROLS = [
  'L1 3 not_applicable, L2 3 pass, L3 3 not_applicable, L4 1 not_applicable, L5 3 not_applicable, L6 2 pass',
  'L7 1 not_applicable, L8 1 not_applicable, K1 3 not_applicable, K2 2 fail, K3 1 pass, K4 2 fail',
  'P1 3 not_applicable, P2 2 not_applicable, P3 2 not_applicable, P4 2 not_applicable, P5 1 not_applicable, P6 1 not_applicable',
  'H1 3 not_applicable, H2 3 not_applicable, H3 2 not_applicable, H4 1 not_applicable, M1 2 not_applicable',
  'M2 1 not_applicable, M3 1 fail, D1 3 not_applicable, D2 2 not_applicable, D3 2 not_applicable, D4 2 not_applicable',
  'D5 1 not_applicable, X1 0 needs_a_person, X2 0 needs_a_person, X3 0 needs_a_person, X4 0 needs_a_person',
].join(', ')
