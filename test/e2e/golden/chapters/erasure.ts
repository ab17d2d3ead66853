import { expect } from 'vitest'
import { PASSWORD, type Script } from '../../../support/e2e/golden/stage.ts'
import { until } from '../../../support/until.ts'

/** The erasure of organisations and people. */
export const erasure: Script = async ({ stage, send }) => {
  const { id, owner, developer, auditor } = await stage.organisation('Erasure', ['owner', 'developer', 'auditor'])
  const key = await stage.key(id)
  const path = '/api/settings/erasure'
  await send('none is asked for', owner, 'GET', path)
  await send('ask as a developer', developer, 'POST', path, { name: 'Erasure' })
  await send('ask under a wrong name', owner, 'POST', path, { name: 'Other' })
  const asked = await send('ask', owner, 'POST', path, { name: 'Erasure' })
  expect(asked.json).toMatchObject({
    status: 'scheduled',
    record_url: `${stage.service.url}/v1/erasures/${asked.json.id}`,
  })
  expect((await send('ask again', owner, 'POST', path, { name: 'Erasure' })).json).toEqual(asked.json)
  expect((await send('it waits', owner, 'GET', path)).json).toEqual(asked.json)
  await send('a key while it waits', key, 'POST', '/v1/chat/completions', {
    model: 'gpt-4.1-mini',
    messages: [{ role: 'user', content: 'x' }],
  })
  await send('a key lists models while it waits', key, 'GET', '/v1/models')
  for (const closed of [
    'attestations/x',
    'approvals/x',
    'transparency/sth',
    'transparency/proof/x',
    'transparency/consistency',
  ]) {
    await send(`a key asks for ${closed} while it waits`, key, 'GET', `/v1/${closed}`)
  }
  await send('a member looks while it waits', auditor, 'GET', '/api/keys')
  await send('a member changes while it waits', developer, 'POST', '/api/keys', { name: 'x' })
  await send(
    'the operator invites while it waits',
    stage.operator,
    'POST',
    `/api/operator/organisations/${id}/invitations`,
    { email: 'x@erasure.example', role: 'owner' },
  )
  await send('its record is not public yet', stage.visitor(), 'GET', `/v1/erasures/${asked.json.id}`)
  const looked = await send('the operator looks', stage.operator, 'GET', `/api/operator/erasures/${asked.json.id}`)
  expect(looked.json).toMatchObject({ id: asked.json.id, status: 'scheduled', subject: id })
  await send('the operator lists', stage.operator, 'GET', '/api/operator/erasures?limit=1')
  const cancelled = await send('cancel', owner, 'DELETE', path)
  expect(cancelled.json).toEqual({ ...asked.json, status: 'cancelled' })
  await send('cancel again', owner, 'DELETE', path)
  await send('it is cancelled', owner, 'GET', path)

  const own = '/api/auth/erasure'
  await send('a person: none is asked for', developer, 'GET', own)
  await send('a person: cancel none', developer, 'DELETE', own)
  await send('a person: the only owner asks', owner, 'POST', own)
  const self = await send('a person: ask', developer, 'POST', own)
  expect(self.json).toMatchObject({ status: 'scheduled' })
  await send('a person: ask again', developer, 'POST', own)
  await send('a person: it waits', developer, 'GET', own)
  const back = await send('a person: sign in again', stage.visitor(), 'POST', '/api/auth/login', {
    email: 'developer@erasure.example',
    password: PASSWORD,
  })
  const again = stage.signedIn(stage.visitor(), 'developer', back)
  expect((await send('a person: it waits still', again, 'GET', own)).json).toEqual(self.json)
  expect((await send('a person: cancel', again, 'DELETE', own)).json).toEqual({ ...self.json, status: 'cancelled' })
  await send('a person: cancel again', again, 'DELETE', own)

  const now = await stage.ask(owner, 'POST', path, { name: 'Erasure', immediately: true })
  await until(
    'the record of the erasure is public',
    () => fetch(`${stage.service.url}/v1/erasures/${now.id}`).then(({ status }) => status),
    (status) => status === 200,
  )
  const record = await send('its record is public', stage.visitor(), 'GET', `/v1/erasures/${now.id}`)
  expect(record.json).toMatchObject({
    v: 'erasure-1',
    erasure_id: now.id,
    org_id: id,
    tree_size: 12,
    remaining: { data_keys: 0, details: 0, keys: 0, people: 0, sealed_objects: 0 },
    removed: [
      'data_keys',
      'details',
      'invitations',
      'keys',
      'members',
      'organisation',
      'people',
      'sealed_objects',
      'settings',
      'usage',
    ],
  })
  await send(
    'a record that does not exist',
    stage.visitor(),
    'GET',
    '/v1/erasures/era_00000000-0000-4000-8000-000000000000',
  )
  await send('an id that is none', stage.visitor(), 'GET', '/v1/erasures/abc')
  await send('a key afterwards', key, 'GET', '/v1/models')
  await send('a member afterwards', auditor, 'GET', '/api/keys')
  const done = await send('the operator looks afterwards', stage.operator, 'GET', `/api/operator/erasures/${now.id}`)
  expect(done.json).toMatchObject({ id: now.id, status: 'completed', subject: id })
  const reapplied = await send('reapply', stage.operator, 'POST', `/api/operator/erasures/${now.id}/reapply`)
  expect(reapplied.json).toMatchObject({ id: now.id, status: 'running' })
}
