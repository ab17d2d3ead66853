// Reading a JSON body in two steps, since limits are counted between them: first the bytes, bounded; then what they say.
import { AppError } from './errors.ts'

// A sender cut off in mid-body loses its connection and perhaps our answer, so a modest excess is read and thrown away.
const DISCARDED_BYTES = 1024 * 1024

/** The bytes of the body, or null when there are more than `maxBytes`. At most 1 MiB over that is ever read. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const declared = request.headers.get('content-length')
  if (declared !== null) return Number(declared) > maxBytes ? null : new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> | undefined = request.body ?? undefined
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size <= maxBytes) chunks.push(chunk)
    else if (size > maxBytes + DISCARDED_BYTES) return null
  }
  if (size > maxBytes) return null
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0]
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

export type JsonObject = Record<string, unknown>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON object in `bytes`, or the error to answer with. */
export function parseJsonObject(contentType: string | undefined, bytes: Uint8Array): JsonObject | AppError {
  if (!isJson(contentType)) {
    return new AppError(
      'unsupported_media_type',
      'Send the body as JSON in UTF-8, with content-type: application/json.',
    )
  }
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    return new AppError('invalid_request', 'The body is not JSON in UTF-8. Check its quotes, commas and encoding.')
  }
  return isObject(value) ? value : notAnObject()
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const notAnObject = (): AppError =>
  new AppError('invalid_request', 'The body must be one JSON object.', {
    fields: [{ path: '', rule: 'expected object' }],
  })

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type?.trim() ?? '')) return false
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter))
}
