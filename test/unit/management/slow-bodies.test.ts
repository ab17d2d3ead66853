// A body that comes slowly: whoever sends it is judged by what they may do once it is there.
import { expect, it } from 'vitest'
import { manage, ORIGIN } from './managed.ts'

/** Sends a body of which the end is held back until `meanwhile` has been done. */
async function sendSlowly(
  send: (body: ReadableStream) => Promise<Response>,
  body: object,
  meanwhile: () => Promise<Response>,
): Promise<{ status: number; meanwhile: number }> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const text = new TextEncoder().encode(JSON.stringify(body))
  const answering = send(readable)
  // Resolves once the service has begun to read.
  await writer.write(text.subarray(0, 1))
  const done = await meanwhile()
  await writer.write(text.subarray(1))
  await writer.close()
  return { status: (await answering).status, meanwhile: done.status }
}

it.each<[string, string, object]>([
  ['POST', '/api/keys', { name: 'A key' }],
  ['PATCH', '/api/settings', { monthly_budget_eur: 1 }],
  ['POST', '/api/members/invitations', { email: 'a.colleague@practice.example', role: 'developer' }],
])('%s %s changes nothing for somebody who was a member when it began', async (method, path, body) => {
  const { organisation, signIn } = await manage()
  const [owner, leaving] = [await signIn('owner'), await signIn('admin')]
  const headers = {
    cookie: `__Host-session=${leaving.token}`,
    origin: ORIGIN,
    'content-type': 'application/json',
  }
  const statuses = await sendSlowly(
    (slow) => organisation.service.fetch(path, { method, headers, body: slow }),
    body,
    () => owner.ask('DELETE', `/api/members/${leaving.id}?revoke_keys=true`),
  )
  expect(statuses).toEqual({ status: 404, meanwhile: 200 })
  expect((await organisation.entries()).map(({ act }) => act)).toEqual(['member.remove'])
})
