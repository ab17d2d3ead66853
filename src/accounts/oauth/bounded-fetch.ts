// Fetches an answer whole, within a time and a size: nothing is read of it before all of it is there.

const LIMIT_MS = 8_000
const MOST_BYTES = 512 * 1024

type BoundedRequest = {
  method: string
  headers: Record<string, string>
  body?: URLSearchParams | undefined
  redirect: 'manual'
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** Of a provider that has a fault of its own, or of something before it. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault'
}

/** Throws ServerFault for a status from 500 on, AnswerTooLarge, a DOMException named TimeoutError, or what `fetch` throws. */
export async function fetchBounded(
  url: string,
  { method, headers, body, redirect }: BoundedRequest,
): Promise<Response> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const response = await fetch(url, { method, headers, body: body ?? null, redirect, signal })
  if (response.status >= 500) {
    await response.body?.cancel()
    throw new ServerFault()
  }
  const answer: ReadableStream<Uint8Array<ArrayBuffer>> | null = response.body
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of answer ?? []) {
    size += chunk.byteLength
    if (size > MOST_BYTES) throw new AnswerTooLarge()
    chunks.push(chunk)
  }
  return new Response(size === 0 ? null : new Blob(chunks), { status: response.status, headers: response.headers })
}
