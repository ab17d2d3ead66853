import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'

export const keys: Script = async ({ stage, send }) => {
  const { id, owner, developer, auditor, clinician } = await stage.organisation('Keys', [
    'owner',
    'developer',
    'auditor',
    'clinician',
  ])
  const manager = await stage.key(id, { scopes: ['manage'] })
  const made = await send('create a key', owner, 'POST', '/api/keys', { name: 'Reports' })
  const unlimited = { requests_per_minute: null, requests_per_day: null, expires_at: null, revoked_at: null }
  const { key: secret, ...reports } = made.json
  expect(reports).toMatchObject({ name: 'Reports', prefix: 'aqta_', scopes: ['chat'], status: 'active', ...unlimited })
  expect(reports).toMatchObject({ last_four: secret.slice(-4) })
  const path = `/api/keys/${reports.id}`
  await send('create a key with every limit', manager, 'POST', '/api/keys', {
    name: 'Nightly',
    scopes: ['chat'],
    prefix: 'sk-aqta-',
    expires_at: '2099-01-31T00:00:00Z',
    requests_per_minute: 5,
    requests_per_day: 50,
  })
  await send('create a key with a limit above that of the organisation', owner, 'POST', '/api/keys', {
    name: 'x',
    requests_per_minute: 1_000_000,
  })
  await send('create a key without a name', owner, 'POST', '/api/keys', {})
  const mine = await send('a developer creates their own', developer, 'POST', '/api/keys', { name: 'Mine' })
  await send('a developer changes somebody else\u2019s', developer, 'PATCH', path, { name: 'Taken' })
  await send('a clinician may not look', clinician, 'GET', '/api/keys')
  await send('an auditor may not create', auditor, 'POST', '/api/keys', { name: 'x' })
  const list = await send('list', auditor, 'GET', '/api/keys?status=active')
  expect(list.json).toMatchObject({
    data: [{ id: mine.json.id }, reports, { id: manager.id, created_by: 'operator', scopes: ['manage'] }],
    has_more: false,
  })
  const page = await send('a page of two', auditor, 'GET', '/api/keys?limit=2')
  expect(page.json).toMatchObject({ data: [{ id: mine.json.id }, reports], has_more: true, next_cursor: reports.id })
  expect((await send('show', auditor, 'GET', path)).json).toEqual({ ...reports, made: [] })
  await send('show one that does not exist', auditor, 'GET', '/api/keys/key_00000000-0000-4000-8000-000000000000')
  const changes = { name: 'Reports, nightly', requests_per_minute: 7, expires_at: null }
  expect((await send('change', owner, 'PATCH', path, changes)).json).toEqual({ ...reports, ...changes, made: [] })
  await send('revoke what it made without ending it', owner, 'PATCH', path, { ...changes, revoke_made: true })
  const rotated = await send('rotate', owner, 'POST', `${path}/rotate`, { overlap_seconds: 3600 })
  expect(rotated.json).toMatchObject({ ...changes, status: 'active', replaced_by: null, made: [] })
  expect([reports.id, mine.json.id]).not.toContain(rotated.json.id)
  await send('rotate it again', owner, 'POST', `${path}/rotate`, {})
  const revoked = await send('revoke', owner, 'DELETE', path)
  expect(revoked.json).toMatchObject({ status: 'revoked', replaced_by: rotated.json.id, also_revoked: [] })
  expect((await send('revoke it again', owner, 'DELETE', path)).json).toEqual(revoked.json)
  await send('change a revoked one', owner, 'PATCH', path, { name: 'Gone' })
  const leaked = await stage.key(id, { scopes: ['chat', 'manage'] })
  await send('a key makes another', leaked, 'POST', '/api/keys', { name: 'Made by a key' })
  const ended = { overlap_seconds: 0, revoke_made: true }
  const replaced = await send(
    'rotate it and revoke what it made',
    owner,
    'POST',
    `/api/keys/${leaked.id}/rotate`,
    ended,
  )
  expect(replaced.json).toMatchObject({ made: [{ name: 'Made by a key', status: 'revoked', created_by: leaked.id }] })
  const repeat = { headers: { 'idempotency-key': 'make-one-key' } }
  await send('create with an idempotency-key', owner, 'POST', '/api/keys', { name: 'Once' }, repeat)
  await send('create it again', owner, 'POST', '/api/keys', { name: 'Once' }, repeat)
  await send('create another under the same idempotency-key', owner, 'POST', '/api/keys', { name: 'Twice' }, repeat)
}
