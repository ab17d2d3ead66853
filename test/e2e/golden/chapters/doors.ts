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
  subject: 'weather',
}

/** Every operation of the OpenAPI document as it is refused before anything is looked for. */
export const doors: Script = async ({ stage, send }) => {
  const { id, owner } = await stage.organisation('Doors', ['owner'])
  const nobody = await stage.member((await stage.organisation('Elsewhere', [])).id, 'owner', 'stranger@doors.example')
  const spent = await stage.spentKey(id, { scopes: ['manage', 'chat'] }, '/v1/models')
  const spentReferral = await stage.spentKey(id, { prefix: 'vk_test_' }, '/v1/datasets')
  const wrong: Caller = { name: 'a wrong key', headers: { authorization: 'Bearer aqta_wrong' } }
  const chats = await stage.key(id, { scopes: ['chat'] })
  const manages = await stage.key(id, { scopes: ['manage'] })
  const document = (await (await fetch(`${stage.service.url}/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const short = { oneLine: true }

  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [verb, { operationId, requestBody, security = [] }] of Object.entries(methods)) {
      const method = verb.toUpperCase()
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => PATH[name] ?? `unknown-${name}`)
      const schemes = security.flatMap((scheme) => Object.keys(scheme))
      const isOpen = schemes.length === 0 || (schemes.length === 1 && security.length === 2)
      const isOfSession = schemes.includes('session')
      const isOfOperator = schemes.includes('operatorToken')
      const isOfReferral = schemes.includes('referralKey')
      const visitor = stage.visitor()
      const insider = isOfOperator
        ? stage.operator
        : isOfSession
          ? owner
          : isOpen
            ? visitor
            : isOfReferral
              ? await stage.key(id, { prefix: 'vk_test_' })
              : chats
      const body = requestBody === undefined ? undefined : {}
      const at = (what: string) => `${operationId}: ${what}`

      await send(at('an unknown query member'), insider, method, `${path}?surprise=1`, body, short)
      if (!isOpen) {
        await send(at('signed out'), visitor, method, path, body, short)
        await send(at('a wrong key'), wrong, method, path, body, short)
      }
      if (requestBody !== undefined) {
        await send(at('no JSON'), insider, method, path, undefined, { ...short, text: '{' })
        await send(at('a wrong type'), insider, method, path, undefined, {
          ...short,
          text: '{}',
          headers: { 'content-type': 'text/plain' },
        })
        await send(at('too large'), insider, method, path, undefined, {
          ...short,
          text: JSON.stringify({ name: 'x'.repeat(schemes.includes('gatewayKey') ? 4_400_000 : 70_000) }),
        })
        await send(at('a list'), insider, method, path, [], short)
      }
      if (isOfSession) {
        const named = { ...short, headers: { 'x-aqta-organisation': id } }
        await send(at('a stranger'), nobody, method, path, body, named)
        if (method !== 'GET')
          await send(
            at('from another site'),
            { name: 'owner, elsewhere', headers: { ...owner.headers, origin: 'https://evil.example' } },
            method,
            path,
            body,
            short,
          )
        await send(at('a key without the scope'), chats, method, path, body, short)
      }
      if (schemes.includes('gatewayKey')) await send(at('a key without the scope'), manages, method, path, body, short)
      if (schemes.includes('gatewayKey') || schemes.includes('managementKey'))
        await send(at('a key that is used up'), spent, method, path, body, short)
      if (isOfReferral) await send(at('a key that is used up'), spentReferral, method, path, body, short)
    }
  }
}
