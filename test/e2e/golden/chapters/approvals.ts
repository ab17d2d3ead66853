import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'
import { until } from '../../../support/until.ts'

const NONE = 'apr_00000000-0000-4000-8000-000000000000'

/** Requests that people must approve. */
export const approvals: Script = async ({ stage, send }) => {
  const { id, owner, admin, developer, clinician } = await stage.organisation('Approvals', [
    'owner',
    'admin',
    'developer',
    'clinician',
  ])
  const key = await stage.key(id)
  await stage.ask(owner, 'PUT', '/api/policies', {
    human_approval: { when: [{ use_cases: ['letters'] }], expires_seconds: 3600 },
  })
  const ask = (title: string, text: string, approval?: string) =>
    send(
      title,
      key,
      'POST',
      '/v1/chat/completions',
      { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: text }] },
      {
        headers: { 'x-aqta-use-case': 'letters', ...(approval === undefined ? {} : { 'x-aqta-approval': approval }) },
      },
    )
  const first = (await ask('a call that must be approved', 'One')).json.error.approval_id
  expect((await ask('the same call again', 'One')).json.error.approval_id).toBe(first)
  const second = (await ask('another call', 'Two')).json.error.approval_id
  const third = (await ask('a third call', 'Three')).json.error.approval_id
  const looked = await send('its caller looks', key, 'GET', `/v1/approvals/${first}`)
  expect(looked.json).toMatchObject({
    id: first,
    state: 'pending',
    key_id: key.id,
    model: 'gpt-4.1-mini',
    use_case: 'letters',
    policy_version: 1,
    approvals_required: 1,
    decisions: [],
    facts: { provider: 'openai', stream: false, content_kinds: ['text'], bytes: 69, most_cost_eur: 0.023648 },
    attestation: { outcome: 'BLOCKED', policy_applied: ['human_approval'], cost_prevented_eur: 0.000003 },
  })
  await send('its caller looks for one that does not exist', key, 'GET', `/v1/approvals/${NONE}`)
  await send('its caller waits too long', key, 'GET', `/v1/approvals/${first}?wait=51`)
  const list = await send('list', clinician, 'GET', '/api/approvals')
  expect(list.json.data.map(({ id: listed }) => listed)).toEqual([third, second, first])
  const page = await send('list those that wait, a page', developer, 'GET', '/api/approvals?state=pending&limit=1')
  expect(page.json).toMatchObject({ data: [{ id: third }], has_more: true, next_cursor: third })
  await send('show', developer, 'GET', `/api/approvals/${first}`)
  await send('show one that does not exist', developer, 'GET', `/api/approvals/${NONE}`)
  await send('decide as a developer', developer, 'POST', `/api/approvals/${first}/decision`, { decision: 'approve' })
  const escalated = await send('escalate', clinician, 'POST', `/api/approvals/${first}/decision`, {
    decision: 'escalate',
    reason: 'Not mine',
  })
  const escalation = { decision: 'escalate', counts: true, acceptance: { decision: 'ESCALATED' } }
  expect(escalated.json).toMatchObject({ id: first, state: 'pending', decisions: [escalation] })
  const approved = await send('approve', admin, 'POST', `/api/approvals/${first}/decision`, {
    decision: 'approve',
    reason: 'It is fine',
  })
  const approval = { decision: 'approve', counts: true, acceptance: { decision: 'OVERRIDDEN' } }
  expect(approved.json).toMatchObject({ id: first, state: 'approved', decisions: [escalation, approval] })
  await send('deny what is approved', owner, 'POST', `/api/approvals/${first}/decision`, { decision: 'deny' })
  const denied = await send('deny', clinician, 'POST', `/api/approvals/${second}/decision`, {
    decision: 'deny',
    reason: 'No',
  })
  const denial = { decision: 'deny', counts: true, acceptance: { decision: 'ACCEPTED' } }
  expect(denied.json).toMatchObject({ id: second, state: 'denied', decisions: [denial] })
  await send('a decision that is none', clinician, 'POST', `/api/approvals/${third}/decision`, { decision: 'maybe' })
  await send('decide what does not exist', clinician, 'POST', `/api/approvals/${NONE}/decision`, { decision: 'deny' })
  const reasons = await send('reasons', owner, 'GET', `/api/approvals/${first}/reasons`)
  expect(reasons.json).toMatchObject({ approval_id: first, data: [{ reason: null }, { reason: null }] })
  await send('reasons of one that does not exist', owner, 'GET', `/api/approvals/${NONE}/reasons`)
  await send('reasons as a clinician', clinician, 'GET', `/api/approvals/${first}/reasons`)
  const sent = await ask('send the approved', 'One', first)
  expect(sent.json).toMatchObject({ aqta: { status: 'passed', attestation: { outcome: 'ALLOWED' } } })
  await ask('send it again', 'One', first)
  await ask('send another under the approval', 'Four', first)
  await ask('send the denied', 'Two', second)
  await ask('send with an approval that does not exist', 'One', NONE)
  const gone = await send('its caller looks at the denied', key, 'GET', `/v1/approvals/${second}`)
  expect(gone.json).toMatchObject({ id: second, state: 'denied', decisions: [denial] })
  await until(
    'the approved call is executed',
    () => stage.ask(owner, 'GET', `/api/approvals/${first}`),
    ({ state }) => state === 'executed',
  )
  const executed = await send('the executed', owner, 'GET', `/api/approvals/${first}`)
  expect(executed.json).toMatchObject({ id: first, state: 'executed', decisions: [escalation, approval] })
}
