// Sets the stage of the transcript: the service with its emulators, and organisations with people and keys.
import { startEmulator } from '../../../../scripts/emulator/server.ts'
import { startWebhookReceiver } from '../../../../scripts/local/servers/webhook-receiver.ts'
import { until } from '../../until.ts'
import { collectMails } from '../collected-mails.ts'
import { deploy } from '../deployment.ts'
import { startIssuer } from '../oauth/issuer.ts'
import {
  Chapter,
  JSON_HEADERS,
  request,
  usualHeaders,
  type Answer,
  type Caller,
  type Members,
  type UsualHeaders,
} from './chapter.ts'

export const PASSWORD = 'quicksilver marigold in november'

const ROLES = ['owner', 'admin', 'developer', 'auditor', 'clinician'] as const
export type Role = (typeof ROLES)[number]

/** An organisation with somebody signed in for each of the roles asked for. */
export type Organisation<Wanted extends Role = Role> = Record<Wanted, Caller> & { id: string; name: string }

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A chapter of the transcript: the requests of one feature, in their order. */
export type Script = (scene: { stage: Stage; send: Chapter['send'] }) => Promise<void>

/** @returns the service with what it asks, and whoever asks it */
export async function openStage() {
  const [emulator, mails, receiver, issuer] = await Promise.all([
    startEmulator({ record: true }),
    collectMails(),
    startWebhookReceiver({}),
    startIssuer(),
  ])
  const webhooks = { WEBHOOK_LOOPBACK: 'on', DNS_OVER_HTTPS_URL: `${receiver.url}/dns-query` }
  const clinic = { id: 'clinic', label: 'The clinic', issuer: issuer.url, client_id: 'client', email_trust: 'verified' }
  const service = await deploy({
    emulator,
    vars: { ...mails.settings, ...webhooks, OAUTH_PROVIDERS: JSON.stringify([clinic]) },
    secrets: { OAUTH_SECRET_CLINIC: 'client-secret-for-tests-only' },
  })
  const operator: Caller = { name: 'operator', headers: { authorization: `Bearer ${service.operatorToken}` } }
  const usual: UsualHeaders = {
    '/api/': await usualHeaders(`${service.url}/api/auth/providers`),
    '/v1/': await usualHeaders(`${service.url}/v1/public/transparency/tile/9/000`),
  }
  let networks = 0

  /** A request of the set-up. It is not recorded, and must succeed. */
  async function prepare(caller: Caller, method: string, path: string, body?: object): Promise<Answer> {
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await request(service.url, caller, { method, path, text, headers: JSON_HEADERS })
    if (answer.status < 300) return answer
    throw new Error(`${method} ${path} of the set-up answered ${answer.status}: ${answer.text}`)
  }

  const ask = async (...asked: Parameters<typeof prepare>): Promise<Members> => (await prepare(...asked)).json

  /** A browser keeps the cookies of an answer, apart from those that it ends. */
  function signedIn(guest: Caller, name: string, { headers }: Answer): Caller {
    const lines = headers.getSetCookie().filter((line) => !line.includes('Max-Age=0'))
    const cookie = lines.map((line) => line.split(';')[0]).join('; ')
    return { name, headers: { ...guest.headers, cookie } }
  }

  /** The same browser with the cookies of an answer besides its own. */
  function besides(guest: Caller, answer: Answer): Caller {
    const { name, headers } = guest
    const added = signedIn(guest, name, answer).headers['cookie'] ?? ''
    return { name, headers: { ...headers, cookie: [headers['cookie'], added].filter(Boolean).join('; ') } }
  }

  /** Somebody who is not signed in, at a network of their own, on a page of the service. */
  function visitor(name = 'signed out'): Caller {
    networks += 1
    const network = `10.${Math.floor(networks / 250)}.${networks % 250}.1`
    return { name, headers: { origin: service.url, 'cf-connecting-ip': network } }
  }

  /** Somebody who has accepted the operator's invitation. */
  async function member(organisationId: string, role: Role, email: string): Promise<Caller> {
    await ask(operator, 'POST', `/api/operator/organisations/${organisationId}/invitations`, { email, role })
    const token = await mails.tokenFor(email, 'invite')
    const guest = visitor(role)
    const invited = { token, name: `The ${role}`, password: PASSWORD }
    return signedIn(guest, role, await prepare(guest, 'POST', '/api/members/invitations/accept', invited))
  }

  async function organisation<Wanted extends Role>(
    name: string,
    roles: readonly Wanted[],
    settings: object = {},
  ): Promise<Organisation<Wanted>> {
    const wanted = {
      name,
      tier: 'pro',
      enabled_providers: ['openai', 'anthropic', 'google', 'perplexity'],
      ...settings,
    }
    const { id } = await ask(operator, 'POST', '/api/operator/organisations', wanted)
    const domain = `${name.toLowerCase().replaceAll(/\W+/g, '-')}.example`
    const people: [string, Caller][] = []
    for (const role of roles) people.push([role, await member(id, role, `${role}@${domain}`)])
    return { id, name, ...Object.fromEntries(people) } as Organisation<Wanted>
  }

  /** A key of an organisation: of the gateway, if nothing else is said. */
  async function key(organisationId: string, wanted: object = {}): Promise<Caller & { id: string; secret: string }> {
    const path = `/api/operator/organisations/${organisationId}/keys`
    const created = await ask(operator, 'POST', path, { prefix: 'aqta_', name: 'A key', ...wanted })
    const { prefix = 'aqta_', scopes } = wanted as { prefix?: string; scopes?: string[] }
    const name = `${prefix}key${scopes === undefined ? '' : `: ${scopes.join(', ')}`}`
    return { id: created.id, secret: created.key, name, headers: { authorization: `Bearer ${created.key}` } }
  }

  /** Waits until no call of the organisation is running. */
  async function settled(overseer: Caller): Promise<void> {
    await until(
      'every call is settled',
      () => ask(overseer, 'GET', '/api/compliance/audit-trail?limit=200'),
      ({ data }) => data.every(({ ending }) => ending !== 'running'),
    )
  }

  /** A key that has no call left today. */
  async function spentKey(organisationId: string, wanted: object, path: string): Promise<Caller> {
    const { headers } = await key(organisationId, { ...wanted, requests_per_day: 1 })
    const spent = { name: 'a key that is used up', headers }
    await ask(spent, 'GET', path)
    return spent
  }

  return {
    service,
    settled,
    spentKey,
    signedIn,
    besides,
    hook: (path: string): string => `${receiver.url}${path}`,
    emulator,
    issuer,
    mails,
    operator,
    ask,
    visitor,
    member,
    organisation,
    key,
    chapter: () =>
      new Chapter(service.url, usual, {
        service: service.url,
        emulator: emulator.url,
        receiver: receiver.url,
        issuer: issuer.url,
        'service, encoded': encodeURIComponent(service.url),
      }),
    async close() {
      await service.close()
      await Promise.all([emulator.close(), mails.close(), receiver.close(), issuer.close()])
    },
  }
}
