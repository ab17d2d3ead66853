// The local mailbox: it accepts mail like Resend (POST /emails), delivers none, and shows it. See docs/local.md.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import {
  escapeForTerminal,
  namesThisMachine,
  serve,
  type Handler,
  type RunningServer,
  type LocalRequest,
  type LocalResponse,
} from '../../local-http-server.ts'
import { linksIn, MAILBOX_CSP, renderMailbox, type ReceivedMail, type SentMail } from './mailbox-page.ts'

export type MailboxOptions = {
  /** The port. 0 uses any free port. */
  port?: number
  /** The bearer key that a sender must send. */
  key: string
  onMail?: (mail: ReceivedMail) => void
}

export type Mailbox = RunningServer & {
  /** Returns the mails, newest first. With `to`, only the mails to that e-mail address. */
  mails(to?: string): readonly ReceivedMail[]
  /** Resolves with the newest mail to an e-mail address, as soon as there is one. Rejects after the time limit. */
  waitFor(to: string, limitMs?: number): Promise<ReceivedMail>
}

const MAX_BODY_BYTES = 256 * 1024
const MAX_MAILS = 200

/** Starts the mailbox on this machine only. Rejects if the port is taken. */
export async function startMailbox({ port = 0, key, onMail = () => undefined }: MailboxOptions): Promise<Mailbox> {
  const kept = new MailStore(onMail)
  const listening = await serve(handlerOf(kept, key), { port, maxBytes: MAX_BODY_BYTES })
  return {
    ...listening,
    mails: (to) => kept.list(to),
    waitFor: (to, limitMs = 30_000) => kept.waitFor(to, limitMs),
  }
}

/** The newest mails, in memory. */
export class MailStore {
  readonly #onMail: (mail: ReceivedMail) => void
  /** Newest first. */
  #mails: readonly { mail: ReceivedMail; repeatKey: string | undefined }[] = []
  #waiting: (() => void)[] = []

  constructor(onMail: (mail: ReceivedMail) => void) {
    this.#onMail = onMail
  }

  /** Stores a mail. @param repeatKey a second mail with the same key returns the first one */
  keep(sent: SentMail, repeatKey: string | undefined): ReceivedMail {
    const earlier = this.#mails.find((kept) => repeatKey !== undefined && kept.repeatKey === repeatKey)
    if (earlier !== undefined) return earlier.mail
    const mail = { ...sent, id: randomUUID(), receivedAt: new Date().toISOString(), links: linksIn(sent.text) }
    this.#mails = [{ mail, repeatKey }, ...this.#mails].slice(0, MAX_MAILS)
    this.#onMail(mail)
    for (const wake of this.#waiting.splice(0)) wake()
    return mail
  }

  list(to?: string): readonly ReceivedMail[] {
    return this.#mails.flatMap(({ mail }) => (to === undefined || mail.to.includes(to) ? [mail] : []))
  }

  async waitFor(to: string, limitMs: number): Promise<ReceivedMail> {
    const late = AbortSignal.timeout(limitMs)
    const tooLate = new Error(`No mail to ${to} came within ${limitMs} ms.`)
    for (;;) {
      const [mail] = this.list(to)
      if (mail !== undefined) return mail
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve)
        late.addEventListener('abort', () => reject(tooLate), { once: true })
      })
    }
  }
}

const MAX_LINKS = 5

/** Formats a mail for the terminal: recipients, subject, and links that contain a token. */
export function announceMail({ to, subject, links }: ReceivedMail): string {
  const withToken = links.filter((link) => link.includes('#')).slice(0, MAX_LINKS)
  const heading = escapeForTerminal(`Mail to ${to.join(', ')}: ${subject}`)
  return [heading, ...withToken.map((link) => `  ${link}`)].join('\n')
}

function handlerOf(kept: MailStore, key: string): Handler {
  const routes: Record<string, Handler> = {
    'POST /emails': (request) => take(request, kept, key),
    'GET /': () => reply(200, renderMailbox(kept.list()), 'text/html; charset=utf-8', MAILBOX_CSP),
    'GET /mails': ({ query }) => json(200, { mails: kept.list(query.get('to') ?? undefined).map(showMail) }),
  }
  return (request) => {
    if (!namesThisMachine(request.headers)) return refuse(403, 'forbidden', 'Ask for 127.0.0.1 or localhost.')
    const handle = routes[`${request.method} ${request.path}`]
    return handle?.(request) ?? refuse(404, 'not_found', 'There are POST /emails, GET / and GET /mails.')
  }
}

const Address = z.string().min(3).max(400)
const MailSchema = z.strictObject({
  from: Address,
  to: z.union([Address.transform((one) => [one]), z.array(Address).min(1).max(50)]),
  subject: z.string().min(1).max(1_000),
  text: z.string(),
})

function take({ headers, body }: LocalRequest, kept: MailStore, key: string): LocalResponse {
  if (!hasKey(headers.authorization, key)) return refuse(401, 'invalid_api_key', 'This is not the mailbox’s key.')
  if (body === null) return refuse(413, 'too_large', `A mail has at most ${MAX_BODY_BYTES} bytes here.`)
  const mail = MailSchema.safeParse(parseJson(body.toString()))
  if (!mail.success) return refuse(422, 'validation_error', 'Wanted: from, to, subject and text, and nothing else.')
  const repeatKey = headers['idempotency-key']
  const { id } = kept.keep(mail.data, typeof repeatKey === 'string' ? repeatKey : undefined)
  return json(200, { id })
}

const hasKey = (authorization: string | undefined, key: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${key}`))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const showMail = ({ receivedAt, ...mail }: ReceivedMail) => ({ ...mail, received_at: receivedAt })

const refuse = (statusCode: number, name: string, message: string): LocalResponse =>
  json(statusCode, { statusCode, name, message })

const json = (status: number, body: object): LocalResponse =>
  reply(status, JSON.stringify(body), 'application/json; charset=utf-8', "default-src 'none'; frame-ancestors 'none'")

const reply = (status: number, body: string, type: string, policy: string): LocalResponse => ({
  status,
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'content-type': type,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body,
})
