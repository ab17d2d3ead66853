import type { Caller } from '../../../support/e2e/golden/chapter.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const NONE = '00000000-0000-4000-8000-000000000000'
const PAST = 'start=2024-01-05&end=2024-01-06'

/** Plays what overseers can see of the calls: analytics, audit, receipts, content, reports, exports. */
export const oversight: Script = async ({ stage, send }) => {
  const { id, owner, auditor, developer, clinician } = await stage.organisation(
    'Oversight',
    ['owner', 'auditor', 'developer', 'clinician'],
    {
      tier: 'healthcare',
      content_logging: { retention_days: 30 },
    },
  )
  const key = await stage.key(id, { name: 'Of the practice' })
  const manager = await stage.key(id, { scopes: ['manage'] })
  await stage.ask(owner, 'PUT', '/api/policies', {
    medical_use_cases: ['triage'],
    high_risk_use_cases: ['triage'],
    bias: { cohorts: ['a', 'b'] },
    model_allowlist: { models: ['gpt-4.1-mini', 'sonar-pro'] },
    pii_scan: { default: 'redact' },
  })
  const ids: string[] = []
  const call = async (title: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await send(
      title,
      key,
      'POST',
      '/v1/chat/completions',
      { model: 'gpt-4.1-mini', ...body },
      { headers },
    )
    ids.push(answer.headers.get('x-aqta-attestation-id') ?? '')
    await stage.settled(owner)
  }
  const says = (content: string) => ({ messages: [{ role: 'user', content }] })
  await call('a medical call', says('Is it urgent?'), { 'x-aqta-use-case': 'triage', 'x-aqta-cohort': 'a' })
  await call('a call with an identifier', says('PPS number 1234567FA'), {
    'x-aqta-use-case': 'letters',
    'x-aqta-cohort': 'b',
  })
  await call('a call of another model, streamed', { ...says('Hello'), model: 'sonar-pro', stream: true })
  await call('a call that is blocked', { ...says('Hello'), model: 'claude-haiku-4-5' }, { 'x-aqta-use-case': 'triage' })
  stage.emulator.behave('openai', Array<string>(4).fill('500'))
  await call('a call that fails', says('Hello again'))
  stage.emulator.reset()
  const [medical = '', redacted = '', , blocked = ''] = ids
  const get = (title: string, by: Caller, path: string) => send(title, by, 'GET', path)

  for (const [what, path] of [
    ['requests', '/api/analytics/requests'],
    ['costs', '/api/analytics/costs'],
  ] as const) {
    await get(`${what} in all`, developer, `${path}?bucket=total`)
    await get(`${what} by model`, manager, `${path}?bucket=total&group_by=model`)
    await get(`${what} by use case`, auditor, `${path}?bucket=total&group_by=use_case`)
    await get(`${what} of a month when nothing was`, auditor, `${path}?bucket=month&${PAST}`)
    await get(`${what} by outcome, as CSV`, auditor, `${path}?bucket=total&group_by=outcome&format=csv`)
    await get(`${what} of two days when nothing was`, auditor, `${path}?${PAST}`)
    await get(`${what} from end to start`, auditor, `${path}?start=2024-01-06&end=2024-01-05`)
    await get(`${what} as a clinician`, clinician, path)
  }
  await get('the audit trail', auditor, '/api/compliance/audit-trail')
  await get('the audit trail with content', auditor, '/api/compliance/audit-trail?content=true&limit=2')
  await get('the blocked of the audit trail', auditor, '/api/compliance/audit-trail?outcome=blocked')
  await get('the audit trail of days when nothing was', auditor, `/api/compliance/audit-trail?${PAST}`)
  await get('the audit trail with a cursor that is none', auditor, '/api/compliance/audit-trail?cursor=x')
  await get('the audit trail as a developer', developer, '/api/compliance/audit-trail')
  await get('the audit log', auditor, '/api/compliance/audit-logs')
  await get('the audit log as CSV', auditor, '/api/compliance/audit-logs?format=csv')
  await get('the audit log of days when nothing was', auditor, `/api/compliance/audit-logs?${PAST}`)
  await get('the audit log from end to start', auditor, '/api/compliance/audit-logs?start=2024-01-06&end=2024-01-05')

  await get('receipts', clinician, '/api/health/receipts')
  await get('receipts of a use case', auditor, '/api/health/receipts?use_case=triage&outcome=blocked')
  await get('receipts as a developer', developer, '/api/health/receipts')
  await get('a receipt', clinician, `/api/health/receipts/${medical}`)
  await get('a receipt that does not exist', clinician, `/api/health/receipts/${NONE}`)
  await get('receipts, exported', auditor, '/api/health/receipts/export')
  await get('receipts, exported as CSV', auditor, '/api/health/receipts/export?format=csv')
  await get('receipts of days when nothing was, exported', auditor, `/api/health/receipts/export?${PAST}`)
  await send('verify a receipt', clinician, 'POST', `/api/health/receipts/${medical}/verify`, {})
  await send('verify a receipt by its request', clinician, 'POST', `/api/health/receipts/${medical}/verify`, {
    request: { model: 'gpt-4.1-mini', ...says('Is it urgent?') },
  })
  await send('verify a receipt by another request', clinician, 'POST', `/api/health/receipts/${medical}/verify`, {
    request: { model: 'gpt-4.1-mini' },
  })
  await send('verify a receipt that does not exist', clinician, 'POST', `/api/health/receipts/${NONE}/verify`, {})

  await get('content', auditor, `/api/compliance/content/${medical}`)
  await get('content of which something was taken out', auditor, `/api/compliance/content/${redacted}`)
  await get('content of a blocked call', auditor, `/api/compliance/content/${blocked}`)
  await get('content that does not exist', auditor, `/api/compliance/content/${NONE}`)
  await get('content as a developer', developer, `/api/compliance/content/${medical}`)
  await send('erase content as an auditor', auditor, 'DELETE', `/api/compliance/content/${medical}`)
  await send('erase content', owner, 'DELETE', `/api/compliance/content/${medical}`)
  await send('erase it again', owner, 'DELETE', `/api/compliance/content/${medical}`)
  await get('content that was erased', auditor, `/api/compliance/content/${medical}`)
  await send('erase content that does not exist', owner, 'DELETE', `/api/compliance/content/${NONE}`)
  await send('erase all content', owner, 'DELETE', '/api/compliance/content')
  await get('content after all was erased', auditor, `/api/compliance/content/${redacted}`)

  await get('who was served how', auditor, '/api/compliance/bias-detection')
  await get('who was served how, by model', manager, '/api/compliance/bias-detection?by=model&outcome=blocked')
  await get(
    'who was served how, from end to start',
    auditor,
    '/api/compliance/bias-detection?start=2024-01-06&end=2024-01-05',
  )
  // Five exports an hour are what a person may make, ten an organisation.
  const own = await stage.organisation('Exports', ['owner', 'auditor', 'developer'], { tier: 'healthcare' })
  const ownKey = await stage.key(own.id)
  await stage.ask(ownKey, 'POST', '/v1/chat/completions', { model: 'gpt-4.1-mini', ...says('Hello') })
  await stage.settled(own.owner)
  for (const section of ['account', 'organisation', 'members', 'keys', 'settings']) {
    await get(`export of ${section}`, own.owner, `/api/settings/export?section=${section}`)
  }
  for (const section of ['policies', 'usage', 'audit']) {
    await get(`export of ${section}, as CSV`, own.auditor, `/api/settings/export?section=${section}&format=csv`)
  }
  await get('export of a section that is none', own.developer, '/api/settings/export?section=weather')
  await get('export of a section of others', own.developer, '/api/settings/export?section=members')
  await get('export by one who has made five', own.owner, '/api/settings/export')
  await get('export of all', owner, '/api/settings/export')
  await get('export of all as a developer', developer, '/api/settings/export')
  await get('export of all by a key', manager, '/api/settings/export')
  await get('export of all as CSV', owner, '/api/settings/export?format=csv')
  await get('the ledger, checked', stage.operator, `/api/operator/organisations/${id}/ledger`)
}
