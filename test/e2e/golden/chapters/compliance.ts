import type { Script } from '../../../support/e2e/golden/stage.ts'

export const compliance: Script = async ({ stage, send }) => {
  const { id, owner, auditor, developer } = await stage.organisation('Compliance', ['owner', 'auditor', 'developer'], {
    tier: 'healthcare',
  })
  const free = await stage.organisation('Free of charge', ['owner'], { tier: 'free' })
  const manager = await stage.key(id, { scopes: ['manage'] })
  const base = '/api/compliance'
  await send('no statements yet', auditor, 'GET', `${base}/statements`)
  const subject = 'X1'
  await send('state', auditor, 'PUT', `${base}/statements/${subject}`, {
    text: 'We have looked at it.',
    date: '2024-01-31',
  })
  await send('state of an anomaly that is none', auditor, 'PUT', `${base}/statements/anomaly:x:y:z`, { text: 'Fine' })
  await send('state of an incident that is none', auditor, 'PUT', `${base}/statements/incident:tr_${'0'.repeat(32)}`, {
    text: 'Fine',
  })
  await send('state it again', owner, 'PUT', `${base}/statements/${subject}`, { text: 'We have looked again.' })
  await send('state nothing', owner, 'PUT', `${base}/statements/${subject}`, {})
  await send('state a subject that is none', owner, 'PUT', `${base}/statements/weather`, { text: 'Fine' })
  await send('state as a developer', developer, 'PUT', `${base}/statements/${subject}`, { text: 'x' })
  await send('statements that stand', auditor, 'GET', `${base}/statements`)
  await send('take one back', auditor, 'DELETE', `${base}/statements/${subject}`)
  await send('take it back again', auditor, 'DELETE', `${base}/statements/${subject}`)
  await send('the score', auditor, 'GET', `${base}/score`)
  await send('the score by a key', manager, 'GET', `${base}/score`)
  await send('the score at a time before', auditor, 'GET', `${base}/score?at=2020-01-01T00:00:00Z`)
  await send('the score at a time that is none', auditor, 'GET', `${base}/score?at=now`)
  await send('the score on the tier Free', free.owner, 'GET', `${base}/score`)
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
  await send('reports', auditor, 'GET', `${base}/reports`)
  await send('a report', auditor, 'GET', `${base}/report/${report.json.id}`)
  await send('a report that does not exist', auditor, 'GET', `${base}/report/rep_00000000-0000-4000-8000-000000000000`)
  await send('a report as a PDF', auditor, 'POST', `${base}/export`, { report_id: report.json.id }, { omitBody: true })
  await send('a PDF of a report that does not exist', auditor, 'POST', `${base}/export`, {
    report_id: 'rep_00000000-0000-4000-8000-000000000000',
  })
  await send('a PDF of a report that is none', auditor, 'POST', `${base}/export`, { report_id: 'x' })
}
