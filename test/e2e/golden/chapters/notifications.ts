import type { Script } from '../../../support/e2e/golden/stage.ts'
import { until } from '../../../support/until.ts'

export const notifications: Script = async ({ stage, send }) => {
  const { id, owner, auditor } = await stage.organisation('Notifications', ['owner', 'auditor'])
  const manager = await stage.key(id, { scopes: ['manage'] })
  const base = '/api/notifications'
  await send('none yet', auditor, 'GET', base)
  await send('test without a webhook', owner, 'POST', `${base}/test`)
  await send('rotate without a webhook', owner, 'POST', `${base}/rotate`)
  await send('remove without a webhook', owner, 'DELETE', base)
  await send('set an address that is none', owner, 'PUT', base, { url: 'nowhere' })
  await send('set an address without TLS', owner, 'PUT', base, { url: 'http://hooks.example.org/x' })
  await send('set a private address', owner, 'PUT', base, { url: 'https://10.0.0.1/x' })
  await send('set an event that is none', owner, 'PUT', base, { url: stage.hook('/taken'), events: ['sunrise'] })
  await send('set', owner, 'PUT', base, { url: stage.hook('/taken'), events: ['loop.detected'] })
  await send('set the same with all events', manager, 'PUT', base, { url: stage.hook('/taken') })
  await send('set as an auditor', auditor, 'PUT', base, { url: stage.hook('/other') })
  await send('test', owner, 'POST', `${base}/test`)
  await until(
    'the test is delivered',
    () => stage.ask(owner, 'GET', `${base}/deliveries`),
    ({ data }) => data[0]?.state === 'delivered',
  )
  await send('deliveries', auditor, 'GET', `${base}/deliveries`)
  await send('show', auditor, 'GET', base)
  await send('rotate', owner, 'POST', `${base}/rotate`)
  await send('remove', owner, 'DELETE', base)
  await send('deliveries of none', auditor, 'GET', `${base}/deliveries`)
}
