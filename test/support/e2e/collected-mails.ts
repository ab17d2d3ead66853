// A mail service that sends nothing and keeps what it is given, for MAILER=http.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { z } from 'zod'

const MailSchema = z.object({ to: z.union([z.string(), z.array(z.string())]), subject: z.string(), text: z.string() })

export type CollectedMails = {
  /** The settings with which the Worker mails to it, and lets everybody sign up. */
  settings: Record<string, string>
  /** The token of the newest link to this page that was mailed to the address. Waits for it. */
  tokenFor(address: string, page: 'verify' | 'reset' | 'invite'): Promise<string>
  close(): Promise<void>
}

export async function collectMails(): Promise<CollectedMails> {
  const mails: z.infer<typeof MailSchema>[] = []
  const arrived = new EventTarget()
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    mails.push(MailSchema.parse(await json(request)))
    response.setHeader('content-type', 'application/json').end('{"id":"mail"}')
    arrived.dispatchEvent(new Event('mail'))
  }

  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const listening = server.address()
  const port = typeof listening === 'object' ? listening?.port : undefined

  function newestFor(address: string, page: string): string | undefined {
    const texts = mails.filter(({ to }) => [to].flat().includes(address)).map(({ text }) => text)
    return texts.map((text) => text.split(`/${page}#`)[1]?.slice(0, 43)).findLast((token) => token !== undefined)
  }

  return {
    settings: {
      SIGNUP: 'open',
      MAILER: 'http',
      MAILER_URL: `http://127.0.0.1:${port}`,
      MAILER_KEY: 'a-key-for-tests-only',
      MAIL_FROM: 'no-reply@countersign.example',
    },
    async tokenFor(address, page) {
      for (let token = newestFor(address, page); ; token = newestFor(address, page)) {
        if (token !== undefined) return token
        await once(arrived, 'mail')
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
