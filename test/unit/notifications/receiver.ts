// The internet as a webhook's messages meet it: a resolver, and a receiver that checks signatures by the platform's own HMAC.
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { answerDns, type Hosts } from '../../../scripts/local/servers/dns-answer.ts'
import { EVENT_TYPES, type EventType } from '../../../src/notifications/webhook-events.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import type { ChatOrganisation } from '../organisation/chat-organisation.ts'

export const URL_OF_HOOK = 'https://hooks.example.org/in?token=invented'

export type Received = {
  url: string
  redirect: string
  id: string
  at: number
  signatures: string[]
  body: string
  message: { type: string; timestamp: string; organisation_id: string; data: Record<string, unknown> }
}

export type Receiver = {
  hosts: Record<string, readonly string[]>
  /** Answers the next message, and those after it. */
  answer: (url: string) => Response | Promise<Response>
  received: Received[]
}

/** In the place of `fetch`, until mocks are restored. */
export function receive(): Receiver {
  const receiver: Receiver = {
    hosts: { 'hooks.example.org': ['1.1.1.1', '2606:4700:4700::1111'] } satisfies Hosts,
    answer: () => new Response(null, { status: 204 }),
    received: [],
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.url.endsWith('/dns-query')) return new Response(answerDns(await request.bytes(), receiver.hosts))
    const body = await request.text()
    receiver.received.push({
      url: request.url,
      redirect: request.redirect,
      id: request.headers.get('webhook-id') ?? '',
      at: Number(request.headers.get('webhook-timestamp')),
      signatures: (request.headers.get('webhook-signature') ?? '').split(' '),
      body,
      message: JSON.parse(body) as Received['message'],
    })
    return receiver.answer(request.url)
  })
  return receiver
}

/** How many of its signatures are by this secret. */
export async function signaturesBy(secret: string, { id, at, body, signatures }: Received): Promise<number> {
  const bytes = Uint8Array.fromBase64(secret.replace('whsec_', ''))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const content = new TextEncoder().encode(`${id}.${at}.${body}`)
  const verified = signatures.map(async (signature) =>
    crypto.subtle.verify('HMAC', key, Uint8Array.fromBase64(signature.replace('v1,', '')), content),
  )
  return (await Promise.all(verified)).filter((isGood) => isGood).length
}

export const objectOf = ({ id }: Pick<ChatOrganisation, 'id'>): DurableObjectStub<Organisation> =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

const act = (name: string) => ({ actor: 'operator', act: name, requestId: 'req_test' }) as const

/** The secret; empty where it is the one before. */
export async function hook(
  organisation: Pick<ChatOrganisation, 'id'>,
  url = URL_OF_HOOK,
  events: readonly EventType[] = EVENT_TYPES,
): Promise<string> {
  const organisationId = organisation.id as `org_${string}`
  const change = { verb: 'set', wanted: { organisationId, url, events } } as const
  const changed = await objectOf(organisation).webhook.change(change, act('notifications.set'))
  if (changed.outcome !== 'set') throw new Error(changed.outcome)
  return changed.secret ?? ''
}

export const change = (organisation: ChatOrganisation, verb: 'rotate' | 'remove' | 'test') =>
  objectOf(organisation).webhook.change({ verb }, act(`notifications.${verb}`))
