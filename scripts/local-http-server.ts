// HTTP functions of the local servers, such as the emulator and the mailbox: listen, read bodies, answer, check the host, and
// escape text for HTML and for the terminal.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'

export type RunningServer = {
  /** The base URL: `http://127.0.0.1:8788`. */
  url: string
  /** Closes at once and cuts open connections. */
  close: () => Promise<void>
}

/** Listens on `port`; 0 uses any free port. Rejects if the port is taken. */
export async function listen(server: Server, { port = 0, host = '127.0.0.1' } = {}): Promise<RunningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE'
      reject(isTaken ? new Error(`Port ${port} is in use. Stop what uses it, or choose another --port.`) : error)
    })
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

/** Returns the body, or null if it is longer than `maxBytes`. A longer body is discarded. */
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
  (await readBody(request, maxBytes))?.toString() ?? null

/** A request. `body` is null if it is longer than the server accepts. */
export type LocalRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer | null
}

export type LocalResponse = { status: number; headers?: Record<string, string>; body?: string | Uint8Array }

export type Handler = (request: LocalRequest) => LocalResponse | Promise<LocalResponse>

/** Serves requests with one function. If it throws, the connection is cut. */
export function serve(
  handle: Handler,
  { port = 0, maxBytes }: { port?: number; maxBytes: number },
): Promise<RunningServer> {
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

/** True if the request's host is this machine. SECURITY: refuse others, or a foreign page could read these servers. */
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

/** Replaces control characters, because foreign text must not move the terminal's cursor or change colours. */
export const escapeForTerminal = (text: string): string => text.replaceAll(/\p{C}/gu, '?')
