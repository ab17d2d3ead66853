// A body that comes slowly: the key that sends it is judged by what it may do once it is there.
import { expect, it } from 'vitest'
import { holdBody } from '../../support/unit/held-body.ts'
import { manage } from './managed.ts'

it.each<[string, string, object]>([
  ['POST', '/api/keys', { name: 'A key', scopes: ['chat'] }],
  ['PATCH', '/api/settings', { monthly_budget_eur: 1 }],
])('%s %s changes nothing for a key that was revoked meanwhile', async (method, path, body) => {
  const { organisation, signIn, automate } = await manage()
  const [owner, key] = [await signIn('owner'), await automate(['chat', 'manage'])]
  const slow = holdBody(body)
  const answering = key.ask(method, path, slow.body)
  await slow.isRead
  await owner.ask('DELETE', `/api/keys/${key.id}`)
  slow.release()
  expect((await answering).status).toBe(401)
  expect((await organisation.entries()).map(({ act }) => act)).toEqual(['key.revoke'])
})
