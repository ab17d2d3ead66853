// Tests what every JSON route refuses, each fault with its own sentence. Also tests what a browser is told it may send to each
// address.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { ask, startGateway, type StartedGateway } from '../support/e2e/gateway.ts'
import { signInAs, type SignedIn } from '../support/e2e/members.ts'

type Schema = { $ref?: string; required?: string[] }
type Operation = {
  operationId: string
  requestBody?: { content: Record<string, { schema: Schema }> }
  security: Record<string, []>[]
}
type Named = { param?: string; fields?: { path: string; rule: string }[] }
/** Errors of Anthropic's format have the member that they name in `details`. */
type Failure = { error: Named & { code: string; message: string; details?: Named } }

let gateway: StartedGateway
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }
let tokens: Record<string, string>
let organisationId: string
let keyId: string
let owner: SignedIn
let mails: CollectedMails
/** Calls come from many networks: those from one are soon too many. */
let networks = 0

const SENT = { rawId: 'AAAA', response: { clientDataJSON: 'AAAA' } }
const ASSERTION = {
  ...SENT,
  response: { ...SENT.response, authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
}
const REGISTRATION = { ...SENT, response: { ...SENT.response, attestationObject: 'AAAA', transports: [] } }

/** A body that each route takes, and the members it may have. */
const BODIES: Record<string, { body: object; members: string }> = {
  readReferral: { body: { text: 'Dear Doctor, this letter is invented.' }, members: 'text, action' },
  recordOutcome: {
    body: { record: {}, chosen: { specialty: null }, role: 'referrer' },
    members: 'record, chosen, role, reason',
  },
  createChatCompletion: { body: ask('gpt-4.1-mini'), members: 'model, models, messages' },
  createMessage: { body: ask('gpt-4.1-mini', { max_tokens: 64 }), members: 'model, max_tokens, messages' },
  countTokens: { body: ask('gpt-4.1-mini'), members: 'model, max_tokens, messages' },
  createResponse: { body: { model: 'gpt-4.1-mini', input: 'Hello' }, members: 'model, models, input' },
  createOrganisation: { body: { name: 'A test practice' }, members: 'name, jurisdiction, ' },
  updateOrganisation: { body: { name: 'A test practice' }, members: 'name, tier, ' },
  createOrganisationKey: { body: { prefix: 'vk_test_', name: 'A key' }, members: 'prefix, name, scopes, ' },
  createKey: { body: { name: 'A key' }, members: 'name, scopes, prefix, ' },
  updateKey: { body: { name: 'A key' }, members: 'name, expires_at, ' },
  rotateKey: { body: { overlap_seconds: 0 }, members: 'overlap_seconds' },
  inviteToOrganisation: { body: { email: 'a@example.org', role: 'owner' }, members: 'email, role' },
  signUp: {
    body: { email: 'a@example.org', password: 'an invented passphrase', name: 'A person' },
    members: 'email, password, name',
  },
  verifyEmail: { body: { token: 'invented' }, members: 'token' },
  logIn: { body: { email: 'a@example.org', password: 'invented' }, members: 'email, password' },
  logInSecondFactor: { body: { totp: '000000' }, members: 'passkey, totp, recovery_code' },
  logInByPasskey: { body: { passkey: ASSERTION }, members: 'passkey' },
  getPasskeyOptions: { body: { purpose: 'sign_in' }, members: 'purpose' },
  confirmSession: { body: { password: 'invented' }, members: 'passkey, totp, password' },
  addPasskey: { body: { name: 'A device', passkey: REGISTRATION }, members: 'name, passkey' },
  renamePasskey: { body: { name: 'A device' }, members: 'name' },
  confirmTotp: { body: { code: '000000' }, members: 'code' },
  requestPasswordReset: { body: { email: 'a@example.org' }, members: 'email' },
  resetPassword: { body: { token: 'invented', password: 'an invented passphrase' }, members: 'token, password' },
  requestFactorResetLink: { body: { email: 'a@example.org' }, members: 'email' },
  finishFactorReset: { body: { token: 'invented', password: 'invented' }, members: 'token, password' },
  askFactorResetByOperator: { body: { reason: 'other' }, members: 'reason' },
  changeMe: { body: { name: 'A person' }, members: 'name' },
  requestEmailChange: { body: { email: 'a@example.org' }, members: 'email' },
  confirmEmailChange: { body: { token: 'invented' }, members: 'token' },
  changePassword: { body: { current: 'invented', new: 'an invented passphrase' }, members: 'current, new' },
  beginOAuthSignIn: { body: { provider: 'invented' }, members: 'provider, return_to' },
  foundOrganisation: { body: { name: 'A practice', enabled_providers: [] }, members: 'name, enabled_providers' },
  askForTier: { body: { tier: 'enterprise' }, members: 'tier' },
  createInvitation: { body: { email: 'a@example.org', role: 'auditor' }, members: 'email, role' },
  updateMember: { body: { role: 'auditor' }, members: 'role' },
  acceptInvitation: { body: { token: 'invented' }, members: 'token, name, password' },
  chooseNotices: { body: { types: [] }, members: 'types' },
  putViews: { body: { views: [] }, members: 'views' },
  patchPolicy: { body: { use_case_guard: { required: true } }, members: 'model_allowlist, data_region, ' },
  putPolicy: { body: { use_case_guard: { required: true } }, members: 'model_allowlist, data_region, ' },
  correctCallCost: { body: { cost_eur: 0.001, reason: 'Invented.' }, members: 'cost_eur, reason' },
  decideApproval: { body: { decision: 'approve' }, members: 'decision, reason' },
  simulatePolicy: { body: { document: {} }, members: 'document, last' },
  makeComplianceReport: { body: { start: '2026-11-01' }, members: 'start, end' },
  exportComplianceReport: { body: { start: '2026-11-01' }, members: 'start, end, report_id' },
  putStatement: { body: { text: 'Invented.', looked_at: 'Nothing.' }, members: 'text, looked_at, cause, date' },
  verifyReceipt: { body: { request: { model: 'gpt-4.1-mini' } }, members: 'record, request, public_key' },
  updateSettings: { body: { name: 'A practice' }, members: 'name, ' },
  setWebhook: { body: { url: 'https://hooks.example.org/' }, members: 'url, events' },
  setSandboxKey: { body: { key: null }, members: 'key' },
  requestOrganisationErasure: { body: { name: 'A practice' }, members: 'name, immediately' },
}

beforeAll(async () => {
  mails = await collectMails()
  gateway = await startGateway(mails.settings)
  document = (await (await gateway.service.fetch('/v1/openapi.json')).json()) as typeof document
  const { key: gatewayKey } = await gateway.createKey()
  const referral = await gateway.service.createKey()
  organisationId = referral.organisationId
  const { id, key: managementKey } = await gateway.createKey({ tier: 'healthcare' }, { scopes: ['manage'] })
  keyId = id
  owner = await signInAs(gateway.service, organisationId, 'owner')
  tokens = { gatewayKey, referralKey: referral.key, managementKey, operatorToken: gateway.service.operatorToken }
})
afterAll(async () => {
  await gateway.close()
  await mails.close()
})

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

async function send(operationId: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const found = operations().find(({ operation }) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`there is no ${operationId}`)
  const scheme = found.operation.security.flatMap((one) => Object.keys(one)).at(-1) ?? ''
  const path = found.path
    .replace('{organisation_id}', organisationId)
    .replace('{key_id}', keyId)
    .replace('{person_id}', owner.personId)
    .replace('{approval_id}', `apr_${crypto.randomUUID()}`)
    .replace('{subject}', 'X2')
    .replace('{id}', crypto.randomUUID())
  const sender: Record<string, string> =
    tokens[scheme] === undefined ? owner.headers : { authorization: `Bearer ${tokens[scheme]}` }
  networks += 1
  const response = await gateway.service.fetch(path, {
    method: found.method,
    headers: {
      ...sender,
      'cf-connecting-ip': `198.51.${networks % 256}.1`,
      'content-type': 'application/json',
      ...headers,
    },
    body,
  })
  const { error } = (await response.json()) as Failure
  return { ...error.details, ...error, status: response.status }
}

function requiredMembers(operationId: string): string[] {
  const found = operations().find(({ operation }) => operation.operationId === operationId)
  const schema = found?.operation.requestBody?.content['application/json']?.schema
  const named = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  return named?.required ?? []
}

describe.each(Object.keys(BODIES))('%s', (operationId) => {
  const { body, members } = BODIES[operationId] ?? { body: {}, members: '' }
  const json = JSON.stringify(body)
  const withMore = (more: string) => `${json.slice(0, -1)},${more}}`

  it('names a required member that is absent', async () => {
    for (const name of requiredMembers(operationId)) {
      const error = await send(operationId, JSON.stringify({ ...body, [name]: undefined }))
      expect([error.status, error.code, error.param]).toEqual([400, 'missing_parameter', name])
      expect(error.message).toContain(`${name}: missing; expected `)
    }
  })

  it('refuses a member named twice, at any depth and however it is written', async () => {
    const [name = ''] = Object.keys(body)
    const escape = `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":1`
    for (const twice of [`"${name}":1`, escape, '"a":{"b":[{"c":1,"c":1}]}']) {
      const error = await send(operationId, withMore(twice))
      expect([error.status, error.code]).toEqual([400, 'invalid_request'])
      expect(error.message).toContain('names a member twice')
    }
  })

  it('names an unknown member and the members that exist, and repeats no name that is a sentence', async () => {
    const error = await send(operationId, withMore('"invented_member":1'))
    expect([error.status, error.code, error.param]).toEqual([400, 'invalid_request', 'invented_member'])
    expect(error.message).toContain('(invented_member)')
    expect(error.message).toContain(members)
    expect(error.fields?.map(({ path }) => path)).toEqual(['invented_member'])
    expect(error.fields?.[0]?.rule).toContain(members)
    const sentence = await send(operationId, withMore('"Dear Dr Zebra":1'))
    expect([sentence.status, sentence.code]).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(sentence)).not.toContain('Zebra')
    expect(sentence.message).toContain(members)
  })

  it('refuses a compressed body with 415, whether it is one or only says so', async () => {
    for (const sent of [new Uint8Array(gzipSync(json)), json]) {
      const error = await send(operationId, sent, { 'content-encoding': 'gzip' })
      expect([error.status, error.code]).toEqual([415, 'unsupported_media_type'])
      expect(error.message).toContain('The body is compressed')
    }
  })

  it('tells a byte-order mark and an empty body from what is no JSON', async () => {
    const messages: string[] = []
    for (const sent of [`\ufeff${json}`, '', '{']) {
      const error = await send(operationId, sent)
      expect([error.status, error.code]).toEqual([400, 'invalid_request'])
      messages.push(error.message)
    }
    expect(messages).toEqual([
      expect.stringContaining('byte-order mark'),
      expect.stringContaining('is empty'),
      expect.stringContaining('is not JSON'),
    ])
  })
})

it('holds for every route that takes JSON', () => {
  const taking = operations().filter(({ operation }) => 'application/json' in (operation.requestBody?.content ?? {}))
  expect(taking.map(({ operation }) => operation.operationId).toSorted()).toEqual(Object.keys(BODIES).toSorted())
})

describe('CORS', () => {
  const preflight = (path: string) =>
    fetch(`${gateway.service.url}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.test', 'access-control-request-method': 'DELETE' },
    })

  it('announces to each address under /v1 the methods that it has, and no other', async () => {
    const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'))
    expect(paths.length).toBeGreaterThan(10)
    for (const [path, methods] of paths) {
      const has = Object.keys(methods).map((method) => method.toUpperCase())
      const response = await preflight(path.replaceAll(/\{\w+\}/g, '1'))
      const announced = response.headers.get('access-control-allow-methods')?.split(', ') ?? []
      expect([path, response.status, announced]).toEqual([path, 204, has.includes('GET') ? [...has, 'HEAD'] : has])
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('announces nothing for an address that is none, and nothing outside /v1', async () => {
    for (const [path, status] of [
      ['/v1/nothing', 404],
      ['/healthz', 405],
      ['/api/operator/organisations', 401],
    ] as const) {
      const response = await preflight(path)
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get('access-control-allow-methods')).toBeNull()
    }
  })
})
