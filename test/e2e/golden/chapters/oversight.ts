import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import type { Caller } from '../../../support/e2e/golden/chapter.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const NONE = '00000000-0000-4000-8000-000000000000'
const PAST = 'start=2024-01-05&end=2024-01-06'

/** The rows of a table by the names of its columns. */
const rowsOf = ({ text }: { text: string }): unknown[] => parse(text, { columns: true })

type Verification = { checks: { check: string; result: string }[] }

const resultsOf = ({ text }: { text: string }): string[] =>
  (JSON.parse(text) as Verification).checks.map(({ check, result }) => `${check} ${result}`)

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
    const inAll = await get(`${what} in all`, developer, `${path}?bucket=total`)
    expect(inAll.json).toMatchObject({
      totals: TOTALS[what],
      data: [TOTALS[what]],
      in_flight: 0,
      unreadable_entries: 0,
    })
    const byModel = await get(`${what} by model`, manager, `${path}?bucket=total&group_by=model`)
    expect(byModel.json).toMatchObject({ totals: TOTALS[what], data: BY_MODEL })
    await get(`${what} by use case`, auditor, `${path}?bucket=total&group_by=use_case`)
    await get(`${what} of a month when nothing was`, auditor, `${path}?bucket=month&${PAST}`)
    const table = await get(`${what} by ending, as CSV`, auditor, `${path}?bucket=total&group_by=ending&format=csv`)
    expect(rowsOf(table)).toMatchObject(BY_ENDING[what])
    await get(`${what} of two days when nothing was`, auditor, `${path}?${PAST}`)
    await get(`${what} from end to start`, auditor, `${path}?start=2024-01-06&end=2024-01-05`)
    await get(`${what} as a clinician`, clinician, path)
  }
  await get('keys', manager, '/api/analytics/keys')
  await get('keys from end to start', auditor, '/api/analytics/keys?start=2024-01-06&end=2024-01-05')
  await get('keys as a clinician', clinician, '/api/analytics/keys')
  await get('concordance', auditor, '/api/analytics/concordance')
  await get('concordance as CSV', manager, '/api/analytics/concordance?format=csv')
  await get('concordance as a clinician', clinician, '/api/analytics/concordance')
  await get('stops by key', manager, '/api/analytics/stops?group_by=key')
  const stops = await get('stops as CSV', auditor, '/api/analytics/stops?format=csv')
  expect(rowsOf(stops)).toMatchObject([{ outcome: 'blocked', reason: 'model_not_in_policy', requests: '1' }])
  await get('stops from end to start', auditor, '/api/analytics/stops?start=2024-01-06&end=2024-01-05')
  await get('stops as a clinician', clinician, '/api/analytics/stops')
  const calls = await get('calls', auditor, '/api/calls')
  expect(calls.json.data).toMatchObject([
    { id: ids[4] },
    { id: blocked },
    { id: ids[2] },
    { id: redacted },
    { id: medical },
  ])
  await get('the blocked calls', manager, '/api/calls?outcome=blocked')
  const callRows = await get('the failed calls as CSV', auditor, '/api/calls?ending=failed&format=csv')
  expect(rowsOf(callRows)).toMatchObject([{ attestation_id: ids[4], outcome: 'passed', ending: 'failed' }])
  await get('the last calls as a developer', developer, '/api/calls?limit=1')
  await get('the blocked calls as a developer', developer, '/api/calls?outcome=blocked')
  await get('calls that end in no known way', auditor, '/api/calls?ending=gone')
  await get('a call', auditor, `/api/calls/${medical}`)
  await get('a call that there is not', auditor, `/api/calls/${NONE}`)
  await get('a call as a developer', developer, `/api/calls/${medical}`)
  const cost = { cost_eur: 0.001, reason: 'The provider’s usage page.' }
  await send('correct the cost of a call that completed', owner, 'PUT', `/api/calls/${medical}/cost`, cost)
  await send('correct the cost of no call', owner, 'PUT', `/api/calls/${NONE}/cost`, cost)
  await send('correct a cost without a reason', owner, 'PUT', `/api/calls/${medical}/cost`, { cost_eur: 0.001 })
  await send('correct a cost as an auditor', auditor, 'PUT', `/api/calls/${medical}/cost`, cost)
  const trail = await get('the audit trail', auditor, '/api/compliance/audit-trail')
  expect(trail.json.data).toMatchObject([
    { attestation_id: ids[4], outcome: 'passed', ending: 'failed', error_cause: 'status', cost_eur: 0 },
    {
      attestation_id: blocked,
      outcome: 'blocked',
      reason: 'model_not_in_policy',
      ending: 'blocked',
      use_case: 'triage',
    },
    { attestation_id: ids[2], model: 'sonar-pro', outcome: 'passed', ending: 'completed', finish_reason: 'stop' },
    { attestation_id: redacted, outcome: 'passed', ending: 'completed', cohort: 'b' },
    { attestation_id: medical, outcome: 'passed', cost_eur: 0.000032, input_tokens: 4, output_tokens: 21, cohort: 'a' },
  ])
  await get('the audit trail with content', auditor, '/api/compliance/audit-trail?content=true&limit=2')
  await get('the blocked of the audit trail', auditor, '/api/compliance/audit-trail?outcome=blocked')
  await get('the audit trail of days when nothing was', auditor, `/api/compliance/audit-trail?${PAST}`)
  await get('the audit trail with a cursor that is none', auditor, '/api/compliance/audit-trail?cursor=x')
  await get('the audit trail as a developer', developer, '/api/compliance/audit-trail')
  await get('the audit log', auditor, '/api/compliance/audit-logs')
  const log = await get('the audit log as CSV', auditor, '/api/compliance/audit-logs?format=csv')
  expect(rowsOf(log)[0]).toMatchObject({ index: '0', kind: 'operator_act' })
  expect(rowsOf(log)).toContainEqual(expect.objectContaining({ index: '9', kind: 'operator_act', withheld: '' }))
  await get('the audit log of days when nothing was', auditor, `/api/compliance/audit-logs?${PAST}`)
  await get('the audit log from end to start', auditor, '/api/compliance/audit-logs?start=2024-01-06&end=2024-01-05')

  await get('the exports that were made', auditor, '/api/compliance/exports')
  await get('the exports as a developer', developer, '/api/compliance/exports')

  const receipts = await get('receipts', clinician, '/api/health/receipts')
  expect(receipts.json.data).toMatchObject([
    { id: blocked, outcome: 'blocked', use_case: 'triage' },
    { id: medical, outcome: 'passed', use_case: 'triage' },
  ])
  await get('receipts of a use case', auditor, '/api/health/receipts?use_case=triage&outcome=blocked')
  await get('receipts as a developer', developer, '/api/health/receipts')
  const receipt = await get('a receipt', clinician, `/api/health/receipts/${medical}`)
  expect(receipt.json).toMatchObject({
    id: medical,
    outcome: 'passed',
    attestation: { attestation_id: medical, outcome: 'ALLOWED' },
    settlement: { content: { content: { bytes: 1602 }, cost_microeur: 32, ended: 'completed' } },
  })
  await get('a receipt that does not exist', clinician, `/api/health/receipts/${NONE}`)
  await get('receipts, exported', auditor, '/api/health/receipts/export')
  const exported = await get('receipts, exported as CSV', auditor, '/api/health/receipts/export?format=csv')
  expect(rowsOf(exported)).toMatchObject([
    { id: blocked, outcome: 'blocked', ended: '', position: '19' },
    { id: medical, outcome: 'passed', ended: 'completed', cost_eur: '0.000032', position: '13' },
    { id: 'complete', created_at: '2' },
  ])
  await get('receipts of days when nothing was, exported', auditor, `/api/health/receipts/export?${PAST}`)
  await send('verify a receipt', clinician, 'POST', `/api/health/receipts/${medical}/verify`, {})
  const verified = await send(
    'verify a receipt by its request',
    clinician,
    'POST',
    `/api/health/receipts/${medical}/verify`,
    {
      request: { model: 'gpt-4.1-mini', ...says('Is it urgent?') },
    },
  )
  const passes = ['signature', 'leaf', 'organisation_log', 'request_hash'].map((check) => `${check} pass`)
  expect(verified.json).toMatchObject({ id: medical, valid: true })
  expect(resultsOf(verified)).toEqual(expect.arrayContaining(passes))
  const doubted = await send(
    'verify a receipt by another request',
    clinician,
    'POST',
    `/api/health/receipts/${medical}/verify`,
    {
      request: { model: 'gpt-4.1-mini' },
    },
  )
  expect(doubted.json).toMatchObject({ id: medical, valid: false })
  expect(resultsOf(doubted)).toContain('request_hash fail')
  await send('verify a receipt that does not exist', clinician, 'POST', `/api/health/receipts/${NONE}/verify`, {})

  const content = await get('content', auditor, `/api/compliance/content/${medical}`)
  expect(content.json).toMatchObject({
    attestation_id: medical,
    bytes: 1602,
    streamed: false,
    truncated: false,
    request: { model: 'gpt-4.1-mini', ...says('Is it urgent?') },
    answer: { aqta: { attestation: { attestation_id: medical } } },
  })
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

  const served = await get('who was served how', auditor, '/api/compliance/bias-detection')
  expect(served.json).toMatchObject({ reference: 'a', parity: { verdict: 'not_enough_data' }, anomalies: [] })
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
  for (const [section, row] of Object.entries(SECTION_ROWS)) {
    const path = `/api/settings/export?section=${section}&format=csv`
    const table = await get(`export of ${section}, as CSV`, own.auditor, path)
    expect(rowsOf(table)).toContainEqual(expect.objectContaining(row))
    expect(rowsOf(table).at(-1)).toMatchObject({ id: 'complete', object: String(rowsOf(table).length - 1) })
  }
  await get('export of a section that is none', own.developer, '/api/settings/export?section=weather')
  await get('export of a section of others', own.developer, '/api/settings/export?section=members')
  await get('export by one who has made five', own.owner, '/api/settings/export')
  await get('export of all', owner, '/api/settings/export')
  await get('export of all as a developer', developer, '/api/settings/export')
  await get('export of all by a key', manager, '/api/settings/export')
  const all = await get('export of all as CSV', owner, '/api/settings/export?format=csv')
  expect(rowsOf(all)).toContainEqual({
    section: 'export',
    id: expect.any(String) as unknown,
    field: 'organisation_id',
    value: id,
  })
  const ledger = await get('the ledger, checked', stage.operator, `/api/operator/organisations/${id}/ledger`)
  expect(ledger.json).toMatchObject({ organisation_id: id, is_equal: true, differences: [], from: 0 })
}

const TOTALS = {
  requests: {
    requests: 5,
    passed: 4,
    completed: 3,
    failed: 1,
    cancelled: 0,
    interrupted: 0,
    cached: 0,
    blocked: 1,
    suppressed: 0,
    refused: 0,
    input_tokens: 13,
    cached_input_tokens: 0,
    output_tokens: 62,
  },
  costs: { requests: 5, cost_eur: 0.00011, cost_prevented_eur: 0.000008, cost_estimated_requests: 0 },
}

const BY_MODEL = [
  { model: 'gpt-4.1-mini', requests: 3 },
  { model: 'sonar-pro', requests: 1 },
  { model: 'claude-haiku-4-5', requests: 1 },
]

const BY_ENDING = {
  requests: [
    { ending: 'completed', requests: '3', passed: '3', completed: '3', input_tokens: '13', output_tokens: '62' },
    { ending: 'failed', requests: '1', passed: '1', failed: '1' },
    { ending: 'blocked', requests: '1', passed: '0', blocked: '1' },
  ],
  costs: [
    { ending: 'completed', requests: '3', cost_eur: '0.00011', cost_prevented_eur: '0' },
    { ending: 'failed', requests: '1', cost_eur: '0' },
    { ending: 'blocked', requests: '1', cost_eur: '0', cost_prevented_eur: '0.000008' },
  ],
}

/** A row of each section that is exported as a table. */
const SECTION_ROWS = {
  policies: {
    id: 'rate_limit',
    object: 'policy',
    parameters: '{"requests_per_minute":1000,"requests_per_month":1000000}',
  },
  usage: { object: 'usage_day', requests: '1', spent_eur: '0.00003', model: 'gpt-4.1-mini', ending: 'completed' },
  audit: { id: '10', object: 'entry', kind: 'settlement' },
}
