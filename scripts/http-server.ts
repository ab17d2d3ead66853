// The HTTP skeleton of the servers that run beside the Worker on this machine.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'

export type Listening = {
  /** `http://127.0.0.1:8788` */
  url: string
  /** Closes at once: open connections are cut. */
  close: () => Promise<void>
}

/** Listens on `port`; 0 takes any free one. Rejects if the port is taken. */
export async function listen(server: Server, { port = 0, host = '127.0.0.1' } = {}): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns null if the body is longer than `maxBytes`, and keeps none of it. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
  }
  return size > maxBytes ? null : Buffer.concat(chunks)
}

export const readBodyText = async (request: IncomingMessage, maxBytes: number): Promise<string | null> =>
  (await readBody(request, maxBytes))?.toString('utf8') ?? null

/** `body` is null if it is longer than the server takes. */
export type LocalRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer | null
}

export type LocalResponse = { status: number; headers?: Record<string, string>; body?: string | Uint8Array }

export type Handler = (request: LocalRequest) => LocalResponse | Promise<LocalResponse>

/** Serves one function. A handler that throws cuts the connection. */
export function serve(
  handle: Handler,
  { port = 0, maxBytes }: { port?: number; maxBytes: number },
): Promise<Listening> {
  const server = createServer((request, response) => {
    const answered = async (): Promise<void> => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local.invalid')
      const { method = '', headers } = request
      const body = await readBody(request, maxBytes)
      const answer = await handle({ method, path: pathname, query: searchParams, headers, body })
      response.writeHead(answer.status, answer.headers).end(answer.body)
    }
    answered().catch(() => response.destroy())
  })
  return listen(server, { port })
}

/** SECURITY: another host is a foreign page whose name leads to this machine: it would read what a server here shows. */
export const namesThisMachine = ({ host = '' }: IncomingHttpHeaders): boolean =>
  /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(host)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Replaces control characters: text that others wrote must not move the terminal's cursor or colour it. */
export const forTerminal = (text: string): string => text.replaceAll(/\p{C}/gu, '?')
