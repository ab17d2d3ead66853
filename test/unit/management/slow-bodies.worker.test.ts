// A body that comes slowly: the key that sends it is judged by what it may do once it is there.
import { expect, it } from 'vitest'
import { manage } from './managed.ts'

it.each<[string, string, object]>([
  ['POST', '/api/keys', { name: 'A key', scopes: ['chat'] }],
  ['PATCH', '/api/settings', { monthly_budget_eur: 1 }],
])('%s %s changes nothing for a key that was revoked meanwhile', async (method, path, body) => {
  const { organisation, signIn, automate } = await manage()
  const [owner, key] = [await signIn('owner'), await automate(['chat', 'manage'])]
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const answering = key.ask(method, path, readable)
  // Resolves once the service has begun to read.
  await writer.write(new Uint8Array())
  await owner.ask('DELETE', `/api/keys/${key.id}`)
  await writer.write(new TextEncoder().encode(JSON.stringify(body)))
  await writer.close()
  expect((await answering).status).toBe(401)
  expect((await organisation.entries()).map(({ act }) => act)).toEqual(['key.revoke'])
})
