// Takes mail over HTTP as the `http` mailer sends it, for tests to read.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

const MailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string() })
export type TakenMail = z.output<typeof MailSchema>

export type MailSink = {
  url: string
  /** The next mail to this address that nobody has read, once it is there. */
  next(to: string): Promise<TakenMail>
  close(): Promise<void>
}

export async function startMailSink(): Promise<MailSink> {
  const unread: TakenMail[] = []
  let arrived = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      unread.push(MailSchema.parse(JSON.parse(body)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"a"}')
      arrived.resolve()
      arrived = Promise.withResolvers()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())

  async function next(to: string): Promise<TakenMail> {
    for (;;) {
      const found = unread.findIndex((mail) => mail.to === to)
      const [mail] = found === -1 ? [] : unread.splice(found, 1)
      if (mail !== undefined) return mail
      await arrived.promise
    }
  }

  async function close(): Promise<void> {
    const closed = once(server, 'close')
    server.close().closeAllConnections()
    await closed
  }

  return { url: `http://127.0.0.1:${port}`, next, close }
}
