import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { SAMPLE_SHA256 } from '../../../../src/referral/waiting-lists/publication.policy.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

const NOBODY = 'org_00000000-0000-4000-8000-000000000000'
const NO_KEY = 'key_00000000-0000-4000-8000-000000000000'

/** Plays what the operator does with organisations and their keys. */
export const operator: Script = async ({ stage, send }) => {
  const { operator: by } = stage
  const base = '/api/operator/organisations'
  const founded = await send('found', by, 'POST', base, { name: 'Founded' })
  expect(founded.json).toMatchObject({
    name: 'Founded',
    tier: 'free',
    jurisdiction: 'eu',
    region: 'weur',
    demo: false,
    version: 1,
    enabled_providers: [],
    requests_per_minute: null,
    requests_per_month: null,
  })
  const wanted = {
    name: 'Founded with settings',
    tier: 'healthcare',
    jurisdiction: 'eu',
    enabled_providers: ['openai', 'google'],
    monthly_budget_eur: 12.5,
    default_max_tokens: 2048,
    cache_instructions: true,
    idempotent_replays: true,
    unsupported: 'refuse',
    retention_days: 400,
    loop_repeats: 4,
    loop_window_seconds: 30,
    loop_cycle_rounds: 3,
    loop_cycle_window_seconds: 100,
  }
  const made = await send('found with all settings', by, 'POST', base, wanted)
  expect(made.json).toMatchObject({ ...wanted, region: 'weur', version: 1 })
  const contract = { name: 'Large', tier: 'enterprise', requests_per_minute: 100, requests_per_month: 10_000 }
  const large = await send('found on the tier Enterprise', by, 'POST', base, contract)
  expect(large.json).toMatchObject(contract)
  await send('found with limits that the tier does not have', by, 'POST', base, { name: 'x', requests_per_minute: 100 })
  await send('found without a name', by, 'POST', base, {})
  await send('found with wrong settings', by, 'POST', base, { name: '', tier: 'gold', requests_per_minute: 0 })
  const path = `${base}/${made.json.id}`
  const list = await send('list', by, 'GET', `${base}?limit=1`)
  expect(list.json).toEqual({ object: 'list', data: [large.json], has_more: true, next_cursor: large.json.id })
  expect((await send('show', by, 'GET', path)).json).toEqual(made.json)
  await send('show one that does not exist', by, 'GET', `${base}/${NOBODY}`)
  await send('show an id that is none', by, 'GET', `${base}/abc`)
  await send('change', by, 'PATCH', path, { name: 'Renamed', monthly_budget_eur: null, tier: 'pro' })
  await send('change nothing', by, 'PATCH', path, {})
  await send('change an older version', by, 'PATCH', path, { name: 'Again', if_version: 0 })
  await send('change one that does not exist', by, 'PATCH', `${base}/${NOBODY}`, { name: 'x' })
  const key = await send('create a key', by, 'POST', `${path}/keys`, {
    prefix: 'sk-aqta-',
    name: 'A key',
    scopes: ['chat', 'manage'],
    requests_per_day: 10,
    expires_at: '2099-01-31T00:00:00Z',
  })
  const { key: _, ...created } = key.json
  const limited = { scopes: ['chat', 'manage'], requests_per_day: 10, expires_at: '2099-01-31T00:00:00.000Z' }
  expect(created).toMatchObject({ created_by: 'operator', prefix: 'sk-aqta-', status: 'active', ...limited })
  const referral = await send('create a referral key', by, 'POST', `${path}/keys`, {
    prefix: 'vk_live_',
    name: 'A live key',
  })
  expect(referral.json).toMatchObject({ prefix: 'vk_live_', scopes: ['referral:read', 'waiting-lists:read'] })
  await send('create a key with a scope of another kind', by, 'POST', `${path}/keys`, {
    prefix: 'vk_live_',
    name: 'x',
    scopes: ['chat'],
  })
  await send('create a key that has expired', by, 'POST', `${path}/keys`, {
    prefix: 'aqta_',
    name: 'x',
    expires_at: '2020-01-01T00:00:00Z',
  })
  await send('create a key nowhere', by, 'POST', `${base}/${NOBODY}/keys`, { prefix: 'aqta_', name: 'x' })
  await send('list keys', by, 'GET', `${path}/keys`)
  await send('list keys with a cursor that is none', by, 'GET', `${path}/keys?cursor=x`)
  await send('list peppers', by, 'GET', '/api/operator/peppers')
  await send('list keys nowhere', by, 'GET', `${base}/${NOBODY}/keys`)
  expect((await send('show a key', by, 'GET', `${path}/keys/${key.json.id}`)).json).toEqual(created)
  await send('show a key that does not exist', by, 'GET', `${path}/keys/${NO_KEY}`)
  const revoked = await send('revoke a key', by, 'DELETE', `${path}/keys/${key.json.id}`)
  expect(revoked.json).toMatchObject({ id: key.json.id, status: 'revoked', also_revoked: [] })
  await send('revoke it again', by, 'DELETE', `${path}/keys/${key.json.id}`)
  await send('revoke one that does not exist', by, 'DELETE', `${path}/keys/${NO_KEY}`)
  const ledger = await send('check the ledger', by, 'GET', `${path}/ledger`)
  expect(ledger.json).toMatchObject({ organisation_id: made.json.id, is_equal: true, differences: [] })
  await send('check the ledger nowhere', by, 'GET', `${base}/${NOBODY}/ledger`)
  await send('compare tiles', by, 'GET', `${path}/tiles`)
  await send('restore tiles', by, 'POST', `${path}/tiles`)
  await send('compare tiles nowhere', by, 'GET', `${base}/${NOBODY}/tiles`)
  await send('restore tiles nowhere', by, 'POST', `${base}/${NOBODY}/tiles`)
  await send('compare the tiles of the public log', by, 'GET', '/api/operator/public-log/tiles')
  await send('restore the tiles of the public log', by, 'POST', '/api/operator/public-log/tiles')
  const invited = await send('invite an owner', by, 'POST', `${path}/invitations`, {
    email: 'owner@operator.example',
    role: 'owner',
  })
  expect(invited.json).toMatchObject({ role: 'owner', invited_by: 'operator', mailed: true, url: null })
  await send('invite nowhere', by, 'POST', `${base}/${NOBODY}/invitations`, {
    email: 'owner@operator.example',
    role: 'owner',
  })
  await send('invite nobody', by, 'POST', `${path}/invitations`, { email: 'x', role: 'owner' })
  await send('erasures', by, 'GET', '/api/operator/erasures')
  await send(
    'an erasure that does not exist',
    by,
    'GET',
    '/api/operator/erasures/era_00000000-0000-4000-8000-000000000000',
  )
  await send(
    'reapply an erasure that does not exist',
    by,
    'POST',
    '/api/operator/erasures/era_00000000-0000-4000-8000-000000000000/reapply',
  )
  const sandbox = await stage.key(made.json.id, { prefix: 'vk_test_' })
  const shared = sandbox.headers['authorization']?.replace('Bearer ', '') ?? null
  const share = (title: string, value: unknown) => send(title, by, 'PUT', '/api/operator/sandbox-key', { key: value })
  expect((await share('share a sandbox key', shared)).json).toEqual({ object: 'sandbox_key', key: shared })
  expect((await send('show the shared key', stage.visitor(), 'GET', '/v1/sandbox-key')).json).toMatchObject({
    key: shared,
  })
  await share('share an invented key', `${shared}x`)
  await share('share a key of the gateway', key.json.key)
  const lists = await stage.key(made.json.id, { prefix: 'vk_test_', scopes: ['waiting-lists:read'] })
  await share('share a key that reads no letters', lists.headers['authorization']?.replace('Bearer ', '') ?? null)
  await share('share no key', null)
  await playDatasets(stage, send)
  await send('a wrong token', { name: 'wrong token', headers: { authorization: 'Bearer wrong' } }, 'GET', base)
}

/** Publishes an invented file, and serves the sample again at the end. */
async function playDatasets({ operator: by }: Parameters<Script>[0]['stage'], send: Parameters<Script>[0]['send']) {
  const text = [
    'ArchiveDate,Adult_Child,Speciality,0-6 Months,6-12 Months,12-18 Months,18 Months +,Total',
    '24/09/2026,Adult,Cardiology,10,5,2,1,18',
    '27/08/2026,Adult,Cardiology,10,5,2,1,18',
    '',
  ].join('\r\n')
  const base = '/api/operator/datasets'
  const path = `${base}/${createHash('sha256').update(text).digest('hex')}`
  const publish = (title: string, query: string, more: object = {}) =>
    send(title, by, 'POST', `${base}?${query}`, undefined, { text, headers: { 'content-type': 'text/csv' }, ...more })
  const said = 'published_on=2026-10-09&file_name=invented.csv'
  await publish('publish figures without a date', 'file_name=invented.csv')
  await publish('publish figures of the future', said.replace('2026', '2999'))
  await publish('publish figures as JSON', said, { headers: { 'content-type': 'application/json' } })
  await publish('publish figures that are too large', said, { text: 'x'.repeat(16 * 1024 * 1024 + 1) })
  const kind = `${said}&kind=outpatient`
  await publish('a dry run', `${kind}&dry_run=true`)
  await publish('publish figures', kind)
  const before = `${kind}&archive_date=2026-08-27`
  await publish('publish an earlier date', before)
  const earlier = await publish('publish an earlier date that is accepted', `${before}&accept=older`)
  expect(earlier.json).toMatchObject({ published: true, manifest: { version: { archiveDate: '2026-08-27' } } })
  const stored = await send('list stored figures', by, 'GET', base)
  expect(stored.json.data).toHaveLength(3)
  await send('serve a version by a hash that two have', by, 'POST', `${path}/serve`)
  await send('withdraw the version that is served', by, 'DELETE', `${path}?archive_date=2026-08-27`)
  await send('serve the sample', by, 'POST', `${base}/${SAMPLE_SHA256}/serve`)
  await send('withdraw a version', by, 'DELETE', `${path}?archive_date=2026-09-24`)
  await send('withdraw it again', by, 'DELETE', `${path}?archive_date=2026-09-24`)
  await send('withdraw the other', by, 'DELETE', path)
  await send('serve a version that is not stored', by, 'POST', `${path}/serve`)
  await send('withdraw a version of no date', by, 'DELETE', `${path}?archive_date=x`)
  await send('serve a version of no date', by, 'POST', `${path}/serve?archive_date=x`)
  await send('list with a member', by, 'GET', `${base}?limit=1`)
}
