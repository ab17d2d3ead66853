import type { Caller } from '../../../support/e2e/golden/chapter.ts'
import type { Script } from '../../../support/e2e/golden/stage.ts'

type Operation = {
  operationId: string
  requestBody?: object
  responses: Record<string, object>
  security?: Record<string, unknown>[]
}

const UUID = '00000000-0000-4000-8000-000000000000'

/** A value for each member of a path. It leads to nothing. */
const PATH: Record<string, string> = {
  sha256: '0'.repeat(64),
  id: UUID,
  attestation_id: UUID,
  hour: '2020-01-01T00Z',
  level: '0',
  index: '000',
  key_id: `key_${UUID}`,
  organisation_id: `org_${UUID}`,
  session_id: `ses_${UUID}`,
  invitation_id: `inv_${UUID}`,
  person_id: `usr_${UUID}`,
  erasure_id: `era_${UUID}`,
  approval_id: `apr_${UUID}`,
  report_id: `rep_${UUID}`,
  version: '9',
  subject: 'X1',
}

type Door = { at: (what: string) => string; method: string; path: string; body: object | undefined }

/** Every operation of the OpenAPI document as it is refused before anything is looked for. */
export const doors: Script = async ({ stage, send }) => {
  const { id, owner } = await stage.organisation('Doors', ['owner'], { tier: 'healthcare' })
  const stranger = await stage.member((await stage.organisation('Elsewhere', [])).id, 'owner', 'stranger@doors.example')
  const wrong: Caller = { name: 'a wrong key', headers: { authorization: 'Bearer aqta_wrong' } }
  const chats = await stage.key(id, { scopes: ['chat'] })
  const manages = await stage.key(id, { scopes: ['manage'] })
  const reads = await stage.key(id, { prefix: 'vk_test_', scopes: ['referral:read'] })
  const spent = await stage.spentKey(id, { scopes: ['manage', 'chat'] }, '/v1/models')
  const spentReferral = await stage.spentKey(id, { prefix: 'vk_test_' }, '/v1/datasets')
  const refuse = (title: string, caller: Caller, { at, method, path, body }: Door, more: object = {}) =>
    send(at(title), caller, method, path, body, more)

  async function refuseBodies({ at, method, path }: Door, insider: Caller, tooLarge: number): Promise<void> {
    const sendText = (title: string, text: string, more: object = {}) =>
      send(at(title), insider, method, path, undefined, { ...more, text })
    await sendText('no JSON', '{')
    await sendText('a list', '[]')
    await sendText('a wrong type', '{}', { headers: { 'content-type': 'text/plain' } })
    await sendText('too large', JSON.stringify({ name: 'x'.repeat(tooLarge) }))
  }

  const response = await fetch(`${stage.service.url}/v1/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> }
  for (const [template, methods] of Object.entries(paths)) {
    for (const [verb, { operationId, requestBody, security = [] }] of Object.entries(methods)) {
      const door: Door = {
        at: (what) => `${operationId}: ${what}`,
        method: verb.toUpperCase(),
        path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH[name] ?? `unknown-${name}`),
        body: requestBody === undefined ? undefined : {},
      }
      const schemes = security.flatMap((scheme) => Object.keys(scheme))
      const isOpen = security.length === 0 || security.length > schemes.length
      const visitor = stage.visitor()
      const insiders: Record<string, Caller> = {
        operatorToken: stage.operator,
        session: owner,
        referralKey: await stage.key(id, { prefix: 'vk_test_' }),
        gatewayKey: chats,
      }
      const insider = isOpen ? visitor : (insiders[schemes[0] ?? ''] ?? visitor)

      await refuse('an unknown query member', insider, { ...door, path: `${door.path}?surprise=1` })
      if (requestBody !== undefined) {
        await refuseBodies(door, insider, schemes.includes('gatewayKey') ? 4_400_000 : 70_000)
      }
      if (door.path.startsWith('/api/') && !schemes.includes('operatorToken') && door.method !== 'GET') {
        const elsewhere = {
          name: `${insider.name}, elsewhere`,
          headers: { ...insider.headers, origin: 'https://x.example' },
        }
        await refuse('from another site', elsewhere, door)
      }
      if (isOpen) continue
      await refuse('signed out', visitor, door)
      await refuse('a wrong key', wrong, door)
      // A stranger may do with their own account whatever any person may.
      if (schemes.includes('session') && !door.path.startsWith('/api/auth/')) {
        await refuse('a stranger', stranger, door, { headers: { 'x-aqta-organisation': id } })
        await refuse('a key without the scope', chats, door)
      }
      if (schemes.includes('gatewayKey')) await refuse('a key without the scope', manages, door)
      if (schemes.includes('referralKey')) await refuse('a key without the scope', reads, door)
      if (schemes.includes('gatewayKey') || schemes.includes('managementKey')) {
        await refuse('a key that is used up', spent, door)
      }
      if (schemes.includes('referralKey')) await refuse('a key that is used up', spentReferral, door)
    }
  }
}
