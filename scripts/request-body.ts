// The body of a request to one of the servers that run beside the Worker, on this machine.
import type { IncomingMessage } from 'node:http'

/** Null where it is longer than `mostBytes`: none of it is kept then. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
  }
  return size > mostBytes ? null : Buffer.concat(chunks)
}

/** The same of UTF-8. */
export const readBodyText = async (request: IncomingMessage, mostBytes: number): Promise<string | null> =>
  (await readBody(request, mostBytes))?.toString('utf8') ?? null
