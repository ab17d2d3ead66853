import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'
import { until } from '../../../support/until.ts'

export const notifications: Script = async ({ stage, send }) => {
  const { id, owner, auditor } = await stage.organisation('Notifications', ['owner', 'auditor'])
  const manager = await stage.key(id, { scopes: ['manage'] })
  const base = '/api/notifications'
  const off = await send('none yet', auditor, 'GET', base)
  expect(off.json).toMatchObject({ state: 'off', origin: null, events: [], waiting: 0, dropped: 0 })
  await send('test without a webhook', owner, 'POST', `${base}/test`)
  await send('rotate without a webhook', owner, 'POST', `${base}/rotate`)
  await send('remove without a webhook', owner, 'DELETE', base)
  await send('set events without an address', owner, 'PUT', base, { events: ['loop.detected'] })
  await send('set an address that is none', owner, 'PUT', base, { url: 'nowhere' })
  await send('set an address without TLS', owner, 'PUT', base, { url: 'http://hooks.example.org/x' })
  await send('set a private address', owner, 'PUT', base, { url: 'https://10.0.0.1/x' })
  await send('set an event that is none', owner, 'PUT', base, { url: stage.hook('/taken'), events: ['sunrise'] })
  const set = await send('set', owner, 'PUT', base, { url: stage.hook('/taken'), events: ['loop.detected'] })
  expect(set.json).toMatchObject({ state: 'on', origin: stage.hook(''), events: ['loop.detected'] })
  const all = await send('set the same with all events', manager, 'PUT', base, { url: stage.hook('/taken') })
  const events = [
    'loop.detected',
    'answer.withheld',
    'budget.threshold_reached',
    'budget.exhausted',
    'approval.requested',
    'approval.decided',
    'approval.expired',
    'approval.withdrawn',
    'approval.executed',
    'anomaly.detected',
    'policy.changed',
    'settings.changed',
    'key.created',
    'key.expiring',
    'member.changed',
    'factor.changed',
    'sign_in.new_place',
  ]
  expect(all.json).toMatchObject({ state: 'on', events, secret: null })
  await send('set as an auditor', auditor, 'PUT', base, { url: stage.hook('/other') })
  const test = await send('test', owner, 'POST', `${base}/test`)
  await until(
    'the test is delivered',
    () => stage.ask(owner, 'GET', `${base}/deliveries`),
    ({ data }) => data[0]?.state === 'delivered',
  )
  const deliveries = await send('deliveries', auditor, 'GET', `${base}/deliveries`)
  const delivered = { id: test.json.id, type: 'webhook.test', state: 'delivered', attempts: 1, next_attempt_at: null }
  expect(deliveries.json.data).toMatchObject([{ ...delivered, last_attempt: { outcome: 'delivered', status: 204 } }])
  await send('show', auditor, 'GET', base)
  await send('rotate', owner, 'POST', `${base}/rotate`)
  expect((await send('remove', owner, 'DELETE', base)).json).toEqual(off.json)
  const notices = await send('notices before a choice', auditor, 'GET', '/api/notices')
  expect(notices.json).toMatchObject({ types: [], sends_mail: true, data: [] })
  const types = ['policy.changed', 'approval.requested']
  const chosen = await send('choose notices', auditor, 'PUT', '/api/notices', { types })
  expect(chosen.json).toMatchObject({ types: types.toSorted() })
  await send('choose one that is none', auditor, 'PUT', '/api/notices', { types: ['loop.detected'] })
  await send('notices as a key', manager, 'GET', '/api/notices')
  const none = await send('deliveries of none', auditor, 'GET', `${base}/deliveries`)
  expect(none.json).toMatchObject({ data: [], has_more: false })
}
