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
  await ask('the same call again', 'One')
  const second = (await ask('another call', 'Two')).json.error.approval_id
  const third = (await ask('a third call', 'Three')).json.error.approval_id
  await send('its caller looks', key, 'GET', `/v1/approvals/${first}`)
  await send('its caller looks for one that does not exist', key, 'GET', `/v1/approvals/${NONE}`)
  await send('its caller waits too long', key, 'GET', `/v1/approvals/${first}?wait=51`)
  await send('list', clinician, 'GET', '/api/approvals')
  await send('list those that wait, a page', developer, 'GET', '/api/approvals?state=pending&limit=1')
  await send('show', developer, 'GET', `/api/approvals/${first}`)
  await send('show one that does not exist', developer, 'GET', `/api/approvals/${NONE}`)
  await send('decide as a developer', developer, 'POST', `/api/approvals/${first}/decision`, { decision: 'approve' })
  await send('escalate', clinician, 'POST', `/api/approvals/${first}/decision`, {
    decision: 'escalate',
    reason: 'Not mine',
  })
  await send('approve', admin, 'POST', `/api/approvals/${first}/decision`, {
    decision: 'approve',
    reason: 'It is fine',
  })
  await send('deny what is approved', owner, 'POST', `/api/approvals/${first}/decision`, { decision: 'deny' })
  await send('deny', clinician, 'POST', `/api/approvals/${second}/decision`, { decision: 'deny', reason: 'No' })
  await send('a decision that is none', clinician, 'POST', `/api/approvals/${third}/decision`, { decision: 'maybe' })
  await send('decide what does not exist', clinician, 'POST', `/api/approvals/${NONE}/decision`, { decision: 'deny' })
  await send('reasons', owner, 'GET', `/api/approvals/${first}/reasons`)
  await send('reasons of one that does not exist', owner, 'GET', `/api/approvals/${NONE}/reasons`)
  await send('reasons as a clinician', clinician, 'GET', `/api/approvals/${first}/reasons`)
  await ask('send the approved', 'One', first)
  await ask('send it again', 'One', first)
  await ask('send another under the approval', 'Four', first)
  await ask('send the denied', 'Two', second)
  await ask('send with an approval that does not exist', 'One', NONE)
  await send('its caller looks at the denied', key, 'GET', `/v1/approvals/${second}`)
  await until(
    'the approved call is executed',
    () => stage.ask(owner, 'GET', `/api/approvals/${first}`),
    ({ state }) => state === 'executed',
  )
  await send('the executed', owner, 'GET', `/api/approvals/${first}`)
}
