// A local receiver of webhooks: it shows received messages, and answers with an error if the path asks for it. It is also a DNS
// resolver that knows only the names in its options. See docs/local.md.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  escapeForTerminal,
  namesThisMachine,
  serve,
  type Handler,
  type RunningServer,
  type LocalRequest,
  type LocalResponse,
} from '../../local-http-server.ts'
import { answerDns, type Hosts } from './dns-answer.ts'

const MAX_BODY_BYTES = 64 * 1024
const MAX_MESSAGES = 200
const MAX_WAIT_MS = 60_000

type SignedMessage = { id: string; timestamp: string; signature: string; body: string }

export type ReceivedMessage = SignedMessage & { path: string; receivedAt: string }

export type WebhookReceiver = RunningServer & {
  /** Returns the newest 200 messages, oldest first. */
  messages(): readonly ReceivedMessage[]
}

export type ReceiverOptions = {
  /** The port. 0 uses any free port. */
  port?: number
  /** The names that the resolver knows. */
  hosts?: Hosts
  onMessage?: (message: ReceivedMessage) => void
}

/** Starts the receiver on this machine only. Rejects if the port is taken. */
export async function startWebhookReceiver({
  port = 0,
  hosts = {},
  onMessage = () => undefined,
}: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = []
  const secrets: string[] = []
  const routes: Record<string, (body: Buffer) => LocalResponse> = {
    'GET /messages': () => json({ messages: messages.map((message) => show(message, secrets)) }),
    'POST /secrets': (body) => json({ secrets: secrets.push(body.toString().trim()) }),
    'POST /dns-query': (body) => ({
      status: 200,
      headers: { 'content-type': 'application/dns-message' },
      body: answerDns(body, hosts),
    }),
  }
  const handle: Handler = async (request) => {
    const { method, path, headers, body } = request
    if (!namesThisMachine(headers)) return { status: 403 }
    if (body === null) return { status: 413 }
    const route = routes[`${method} ${path}`]
    if (route !== undefined) return route(body)
    if (method !== 'POST') return { status: 404 }
    const message = readMessage(request, body)
    messages.push(message)
    if (messages.length > MAX_MESSAGES) messages.shift()
    onMessage(message)
    return answerByPath(path)
  }
  const listening = await serve(handle, { port, maxBytes: MAX_BODY_BYTES })
  return { ...listening, messages: () => [...messages] }
}

/** Formats a message for the terminal. */
export const announceMessage = ({ id, path, body }: ReceivedMessage): string =>
  escapeForTerminal(`Webhook ${id} to ${path}: ${body.slice(0, 500)}`)

/** Verifies a signature by Standard Webhooks, with Node's cryptography and no code of the service. */
export function isSignedBy(secret: string, { id, timestamp, signature, body }: SignedMessage): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64')
    return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function readMessage({ path, headers }: LocalRequest, body: Buffer): ReceivedMessage {
  const header = (name: string): string => String(headers[name] ?? '')
  return {
    path,
    receivedAt: new Date().toISOString(),
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    body: body.toString(),
  }
}

/** Answers as the URL's path says: `/status/500`, `/slow/12000` or `/redirect`. Any other path accepts the message. */
async function answerByPath(path: string): Promise<LocalResponse> {
  const [, behaviour, argument = ''] = /^\/(\w+)\/?(\d*)$/.exec(path) ?? []
  if (behaviour === 'status') return { status: Math.min(599, Math.max(200, Number(argument))) }
  if (behaviour === 'redirect') return { status: 307, headers: { location: '/redirected' } }
  if (behaviour === 'slow') await sleep(Math.min(MAX_WAIT_MS, Number(argument)))
  return { status: 204 }
}

/** Returns a message to show. `verified`: true if a known secret signed it, or null if no secret is known. */
const show = ({ receivedAt, ...message }: ReceivedMessage, secrets: readonly string[]) => ({
  received_at: receivedAt,
  ...message,
  verified: secrets.length === 0 ? null : secrets.some((secret) => isSignedBy(secret, message)),
})

const json = (body: object): LocalResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
