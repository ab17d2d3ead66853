// One long run over people, sessions, identities, invitations, keys and calls: none of the secrets that it showed to somebody is
// anywhere afterwards but with them.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectMails, type CollectedMails } from '../support/e2e/collected-mails.ts'
import { deploy, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { Browser } from '../support/e2e/oauth/browser.ts'
import { startIssuer, type Issuer } from '../support/e2e/oauth/issuer.ts'

const CLIENT_SECRET = 'client-secret-for-tests-only'

let mails: CollectedMails
let issuer: Issuer
let emulator: Emulator
let service: Deployment
beforeAll(async () => {
  ;[mails, issuer, emulator] = await Promise.all([collectMails(), startIssuer(), startEmulator()])
  const clinic = { id: 'clinic', label: 'The clinic', issuer: issuer.url, client_id: 'ours', email_trust: 'verified' }
  service = await deploy({
    sample: false,
    emulator,
    vars: { ...mails.settings, OAUTH_PROVIDERS: JSON.stringify([clinic]) },
    secrets: { OAUTH_SECRET_CLINIC: CLIENT_SECRET },
  })
})
afterAll(async () => {
  await service.close()
  await Promise.all([mails.close(), issuer.close(), emulator.close()])
})

/** Secrets that were shown, each by a name that a failure prints. */
const secrets = new Map<string, string>()

function keep(name: string, secret: string | undefined): string {
  expect(secret?.length ?? 0, name).toBeGreaterThan(20)
  secrets.set(name, secret ?? '')
  return secret ?? ''
}

let cookie = ''

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await service.fetch(path, {
    method,
    headers: {
      origin: service.url,
      'cf-connecting-ip': '203.0.113.7',
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const session = response.headers.getSetCookie().find((line) => line.startsWith('__Host-session='))
  return { response, session: session?.split(';')[0] ?? '' }
}

/** Sends, and expects this status. The answer. */
async function run<T>(status: number, ...request: Parameters<typeof send>): Promise<T> {
  const { response } = await send(...request)
  expect(response.status, await response.clone().text()).toBe(status)
  return (response.status === 204 ? {} : await response.json()) as T
}

/** Sends what signs somebody in, and goes on as them. */
async function signIn(name: string, ...request: Parameters<typeof send>): Promise<void> {
  const { response, session } = await send(...request)
  expect(response.status, await response.clone().text()).toBeLessThan(300)
  cookie = session
  keep(name, session.split('=')[1])
}

/** By password: confirmed, signed in, mistaken, with a new password by mail and a changed one. Links that wait are left behind. */
async function comeByPassword(email: string): Promise<void> {
  const organisation = { name: 'A practice', enabled_providers: ['openai'] }
  const first = keep('first password', 'quicksilver marigold in november')
  await run(202, 'POST', '/api/auth/signup', { email, name: 'Ann Example', password: first, organisation })
  const confirmation = keep('confirmation', await mails.tokenFor(email, 'confirm'))
  await signIn('first session', 'POST', '/api/auth/verify-email', { token: confirmation })
  await run(401, 'POST', '/api/auth/login', { email, password: keep('wrong password', 'a wrong guess in november') })
  await run(202, 'POST', '/api/auth/password-reset', { email })
  const link = keep('reset', await mails.tokenFor(email, 'reset'))
  const reset = keep('reset password', 'marigold after the reset link')
  await run(200, 'POST', '/api/auth/password-reset/confirm', { token: link, password: reset })
  await signIn('second session', 'POST', '/api/auth/login', { email, password: reset })
  const changed = keep('changed password', 'marigold once it was changed')
  await run(200, 'POST', '/api/auth/password', { current: reset, new: changed })
  await signIn('third session', 'POST', '/api/auth/login', { email, password: changed })

  const waiting = keep('waiting password', 'a marigold that waits to bloom')
  await run(202, 'POST', '/api/auth/signup', { email: 'fay@example.org', name: 'Fay Example', password: waiting })
  keep('waiting confirmation', await mails.tokenFor('fay@example.org', 'confirm'))
}

/** One is accepted by somebody new, one waits. */
async function invite(): Promise<void> {
  await run(201, 'POST', '/api/members/invitations', { email: 'cleo@example.org', role: 'auditor' })
  keep('waiting invitation', await mails.tokenFor('cleo@example.org', 'invite'))
  await run(201, 'POST', '/api/members/invitations', { email: 'bea@example.org', role: 'developer' })
  const token = keep('invitation', await mails.tokenFor('bea@example.org', 'invite'))
  const password = keep('invited password', 'bea came by an invitation')
  const owner = cookie
  cookie = ''
  await signIn('invited session', 'POST', '/api/members/invitations/accept', { token, name: 'Bea Example', password })
  cookie = owner
}

const withJson = (key: string, body: object): RequestInit =>
  withKey(key, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Made, rotated and revoked, by a person and by a key; and calls with them, taken and refused. */
async function useKeys(): Promise<void> {
  type Made = { id: string; key: string }
  const idempotency = { 'idempotency-key': keep('idempotency key', 'an-idempotency-key-of-the-caller') }
  const made = await run<Made>(201, 'POST', '/api/keys', { name: 'Letters' }, idempotency)
  const rotated = await run<Made>(201, 'POST', `/api/keys/${made.id}/rotate`, {})
  const manager = await run<Made>(201, 'POST', '/api/keys', { name: 'Manager', scopes: ['chat', 'manage'] })
  const answered = await service.fetch('/api/keys', withJson(manager.key, { name: 'By a key', prefix: 'sk-aqta-' }))
  const revoked = (await answered.json()) as Made
  await run(200, 'DELETE', `/api/keys/${revoked.id}`)
  for (const [name, { key }] of Object.entries({ made, rotated, manager, revoked })) keep(`${name} key`, key)

  const prompt = keep('prompt', 'a prompt of quicksilver and marigold')
  const call = async (key: string, model: string) =>
    service.fetch('/v1/chat/completions', withJson(key, { model, messages: [{ role: 'user', content: prompt }] }))
  const answers = [
    await call(rotated.key, 'gpt-4.1-mini'),
    await call(rotated.key, 'claude-haiku-4-5'),
    await call(revoked.key, 'gpt-4.1-mini'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 401])
}

/** The same person once more, and a browser that has begun and not come back. */
async function comeByProvider(email: string): Promise<void> {
  keep('client secret', CLIENT_SECRET)
  issuer.answer({ claims: { sub: 'ann', email, email_verified: true, name: 'Ann Example' } })
  const browser = new Browser(service)
  const back = await browser.visit(await browser.begin('clinic'))
  const { searchParams } = new URL(back, service.url)
  keep('code', searchParams.get('code') ?? '')
  keep('state', searchParams.get('state') ?? '')
  expect((await browser.fetch(back)).status).toBe(303)
  keep('session by the provider', browser.cookies.get('__Host-session'))
  keep('verifier', String(issuer.asked.at(-1)?.['code_verifier']))
  const begun = new Browser(service)
  await begun.begin('clinic')
  keep('state of a waiting flow', begun.cookies.get('__Host-oauth'))
}

async function exportEverything(): Promise<string> {
  const answer = await service.fetch('/api/settings/export', { headers: { cookie } })
  expect(answer.status).toBe(200)
  return answer.text()
}

/** As bytes stand in these stores: an object's, D1's, and as text. */
const bytesForms = (bytes: Buffer): string[] => [
  JSON.stringify(new TextDecoder('latin1').decode(bytes)).slice(1, -1),
  JSON.stringify([...bytes]),
  bytes.toString('hex'),
  bytes.toString('base64'),
  bytes.toString('base64url'),
]

/** As it was shown, and as its text or the bytes that it encodes would be kept. */
const formsOf = (secret: string): string[] => [
  secret,
  ...bytesForms(Buffer.from(secret)),
  ...bytesForms(Buffer.from(secret.replace(/^aqta_|^sk-aqta-/, ''), 'base64url')),
]

it('no password, session, link, key or prompt is in a store, an export or a log', async () => {
  await comeByPassword('ann@example.org')
  await invite()
  await useKeys()
  await run(200, 'PATCH', '/api/settings', { name: 'Another practice' })
  await run(202, 'POST', '/api/auth/password-reset', { email: 'bea@example.org' })
  keep('waiting reset', await mails.tokenFor('bea@example.org', 'reset'))
  await comeByProvider('ann@example.org')

  const { organisations } = await run<{ organisations: { id: string }[] }>(200, 'GET', '/api/auth/me')
  const objects = [organisations[0]?.id ?? '', 'operator']
  const stored = await Promise.all(objects.map((name) => service.everythingStored(name)))
  const kept = [...stored, await exportEverything(), ...service.logs()].join('\n')

  const landmarks = ['fay@example.org', '$scrypt$', '"inv_', 'key.rotate', 'settings.update', '/api/auth/login']
  expect(landmarks.filter((landmark) => !kept.includes(landmark))).toEqual([])
  // The same search finds what is to be there: hashes, in D1 and in the organisation's object.
  const isKept = (forms: string[]) => forms.some((form) => kept.includes(form))
  for (const name of ['third session', 'idempotency key']) {
    expect(
      isKept(
        bytesForms(
          createHash('sha256')
            .update(secrets.get(name) ?? '')
            .digest(),
        ),
      ),
      name,
    ).toBe(true)
  }
  const found = [...secrets].filter(([, secret]) => isKept(formsOf(secret)))
  expect(found.map(([name]) => name)).toEqual([])
})
