// A mailbox on this machine that takes mail as Resend does (POST /emails) and delivers none: it shows it. See docs/local.md.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { listen, type Listening } from '../listen.ts'
import { readBodyText } from '../request-body.ts'
import { KeptMails, type KeptMail } from './kept-mails.ts'
import { PAGE_POLICY, renderPage } from './page.ts'

const MAX_BODY_BYTES = 256 * 1024

export type MailboxOptions = {
  /** 0: any that is free. */
  port?: number
  /** What a sender must bring as its bearer key. */
  key: string
  onMail?: (mail: KeptMail) => void
}

export type Mailbox = Listening & {
  /** Newest first; those to one address where one is given. */
  mails(to?: string): readonly KeptMail[]
  /** The newest mail to an address, as soon as there is one. Rejects when the time is up. */
  waitFor(to: string, limitMs?: number): Promise<KeptMail>
}

/** Listens on this machine only. Rejects where the port is taken. */
export async function startMailbox({ port = 0, key, onMail = () => undefined }: MailboxOptions): Promise<Mailbox> {
  const kept = new KeptMails(onMail)
  const server = createServer((request, response) => {
    answer(request, { kept, key }).then(
      (answered) => send(response, answered),
      () => response.destroy(),
    )
  })
  const listening = await listen(server, { port })
  return {
    ...listening,
    mails: (to) => kept.list(to),
    waitFor: (to, limitMs = 30_000) => kept.waitFor(to, limitMs),
  }
}

type Answer = { status: number; json: object } | { status: 200; page: string }

type Place = { kept: KeptMails; key: string }

async function answer(request: IncomingMessage, { kept, key }: Place): Promise<Answer> {
  // A foreign page whose name leads to this machine would read the links otherwise.
  if (!isOfThisMachine(request.headers.host)) return refuse(403, 'forbidden', 'Ask for 127.0.0.1 or localhost.')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mailbox.invalid')
  switch (`${request.method} ${pathname}`) {
    case 'POST /emails':
      return take(request, kept, key)
    case 'GET /':
      return { status: 200, page: renderPage(kept.list()) }
    case 'GET /mails':
      return { status: 200, json: { mails: kept.list(searchParams.get('to') ?? undefined).map(showMail) } }
    default:
      return refuse(404, 'not_found', 'There are POST /emails, GET / and GET /mails.')
  }
}

const isOfThisMachine = (host = ''): boolean => /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(host)

const Address = z.string().min(3).max(400)
const MailSchema = z.strictObject({
  from: Address,
  to: z.union([Address.transform((one) => [one]), z.array(Address).min(1).max(50)]),
  subject: z.string().min(1).max(1_000),
  text: z.string(),
})

async function take(request: IncomingMessage, kept: KeptMails, key: string): Promise<Answer> {
  const body = await readBodyText(request, MAX_BODY_BYTES)
  if (!hasKey(request.headers.authorization, key))
    return refuse(401, 'invalid_api_key', 'This is not the mailbox’s key.')
  if (body === null) return refuse(413, 'too_large', `A mail has at most ${MAX_BODY_BYTES} bytes here.`)
  const mail = MailSchema.safeParse(parseJson(body))
  if (!mail.success) return refuse(422, 'validation_error', 'Wanted: from, to, subject and text, and nothing else.')
  const repeatKey = request.headers['idempotency-key']
  const { id } = kept.keep(mail.data, typeof repeatKey === 'string' ? repeatKey : undefined)
  return { status: 200, json: { id } }
}

function hasKey(authorization: string | undefined, key: string): boolean {
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${key}`))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const showMail = ({ receivedAt, ...mail }: KeptMail) => ({ ...mail, received_at: receivedAt })

const refuse = (statusCode: number, name: string, message: string): Answer => ({
  status: statusCode,
  json: { statusCode, name, message },
})

function send(response: ServerResponse, answered: Answer): void {
  const isPage = 'page' in answered
  response.writeHead(answered.status, {
    'cache-control': 'no-store',
    'content-security-policy': isPage ? PAGE_POLICY : "default-src 'none'; frame-ancestors 'none'",
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(isPage ? answered.page : JSON.stringify(answered.json))
}
