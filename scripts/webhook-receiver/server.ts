// A receiver of webhooks on this machine that shows what came and misbehaves on request, and the resolver that says where names
// lead. See docs/local.md.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, type Listening } from '../listen.ts'
import { readBody } from '../request-body.ts'
import { answerDns, type Hosts } from './dns-answer.ts'
import { isSignedBy, type SignedHeaders } from './signature.ts'

const MAX_BODY_BYTES = 64 * 1024
const MOST_MESSAGES = 200
const LONGEST_WAIT_MS = 60_000

export type ReceivedMessage = SignedHeaders & { path: string; receivedAt: string; body: string }

export type WebhookReceiver = Listening & {
  /** Oldest first: the newest 200. */
  messages(): readonly ReceivedMessage[]
}

export type ReceiverOptions = {
  /** 0: any that is free. */
  port?: number
  /** What its resolver knows. */
  hosts?: Hosts
  onMessage?: (message: ReceivedMessage) => void
}

type Place = { messages: ReceivedMessage[]; secrets: string[]; hosts: Hosts; onMessage(message: ReceivedMessage): void }

/** Listens on this machine only. Rejects where the port is taken. */
export async function startWebhookReceiver({
  port = 0,
  hosts = {},
  onMessage = () => undefined,
}: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const place: Place = { messages: [], secrets: [], hosts, onMessage }
  const server = createServer((request, response) => {
    answer(request, response, place).catch(() => response.destroy())
  })
  return { ...(await listen(server, { port })), messages: () => [...place.messages] }
}

async function answer(request: IncomingMessage, response: ServerResponse, place: Place): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://receiver.invalid')
  const body = await readBody(request, MAX_BODY_BYTES)
  // A foreign page whose name leads to this machine would read the messages otherwise.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(request.headers.host ?? '')) return end(response, 403)
  if (body === null) return end(response, 413)
  switch (`${request.method} ${pathname}`) {
    case 'GET /messages':
      return sendJson(response, { messages: place.messages.map((message) => show(message, place.secrets)) })
    case 'POST /secrets':
      place.secrets.push(body.toString().trim())
      return sendJson(response, { secrets: place.secrets.length })
    case 'POST /dns-query':
      response.writeHead(200, { 'content-type': 'application/dns-message' })
      response.end(answerDns(body, place.hosts))
      return
  }
  if (request.method !== 'POST') return end(response, 404)
  take(request, pathname, body.toString(), place)
  await behave(pathname, response)
}

function take({ headers }: IncomingMessage, path: string, body: string, place: Place): void {
  const header = (name: string): string => String(headers[name] ?? '')
  const message = {
    path,
    receivedAt: new Date().toISOString(),
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    body,
  }
  place.messages.push(message)
  if (place.messages.length > MOST_MESSAGES) place.messages.shift()
  place.onMessage(message)
}

/** By the path that was set as the address: `/status/500`, `/slow/12000`, `/redirect`; any other takes the message. */
async function behave(path: string, response: ServerResponse): Promise<void> {
  const [, behaviour, argument = ''] = /^\/(\w+)\/?(\d*)$/.exec(path) ?? []
  if (behaviour === 'status') return end(response, Math.min(599, Math.max(200, Number(argument))))
  if (behaviour === 'redirect') {
    response.writeHead(307, { location: '/redirected' }).end()
    return
  }
  if (behaviour === 'slow') await wait(Math.min(LONGEST_WAIT_MS, Number(argument)))
  end(response, 204)
}

/** `verified`: whether it is signed by a secret that it was told of; null where it was told of none. */
const show = ({ receivedAt, ...message }: ReceivedMessage, secrets: readonly string[]) => ({
  received_at: receivedAt,
  ...message,
  verified: secrets.length === 0 ? null : secrets.some((secret) => isSignedBy(secret, message, message.body)),
})

function sendJson(response: ServerResponse, json: object): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(json))
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
