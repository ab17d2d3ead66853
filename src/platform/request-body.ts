// Reads a request's JSON body in two steps: bytes up to a limit, then JSON. The caller's limits are counted between the two steps.
// Also reads and drops a body that the response does not depend on.
import { AppError, isPlainName } from './errors.ts'
import { isJsonObject, readJson, type JsonObject, findStructureFault } from './json.ts'
import { piecesOf } from './body-pieces.ts'
import { joinBytes } from './bytes.ts'
import { withTimeLimit } from './time.ts'

/** A body that was read before its route needed it. `bytes`: null if it is too long. `fault`: the error of reading it. */
export type HeldBody = { bytes: Uint8Array | null } | { fault: unknown }

// Reads and drops a modest excess, because a sender that is cut off in mid-body may lose the response.
const DISCARDED_BYTES = 1024 * 1024
const DRAIN_FROM_BYTES = 64 * 1024
const DRAIN_LIMIT_MS = 1_000

/**
 * Returns the bytes of the body, or null if there are more than `maxBytes`. Reads at most 1 MiB over that.
 * Throws `invalid_request` if the body is cut off.
 */
export async function readBodyBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const read = await readWithReservedMemory(request, maxBytes, () => true)
  return read instanceof Uint8Array ? read : null
}

/**
 * Reads like `readBytes`, but only as far as `reserve` grants memory.
 * @param reserve is called with the size known by then, before more is stored
 */
export async function readWithReservedMemory(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => boolean,
): Promise<Uint8Array | 'too_large' | 'no_room'> {
  const declared = request.headers.get('content-length')
  if (declared === null || !/^\d+$/.test(declared)) return readUndeclared(request, maxBytes, reserve)
  const size = Number(declared)
  if (size > maxBytes) return 'too_large'
  if (reserve(size)) return new Uint8Array(await request.arrayBuffer().catch(cutOff))
  await discard(request)
  return 'no_room'
}

async function readUndeclared(
  request: Request,
  maxBytes: number,
  reserve: (bytes: number) => boolean,
): Promise<Uint8Array | 'too_large' | 'no_room'> {
  let chunks: Uint8Array[] = []
  let size = 0
  let hasRoom = true
  for await (const chunk of piecesOfRequest(request)) {
    size += chunk.byteLength
    if (size > maxBytes + DISCARDED_BYTES) return 'too_large'
    hasRoom &&= size > maxBytes || reserve(size)
    if (hasRoom && size <= maxBytes) chunks.push(chunk)
    else chunks = []
  }
  if (size > maxBytes) return 'too_large'
  return hasRoom ? joinBytes(chunks, size) : 'no_room'
}

async function discard(request: Request): Promise<void> {
  for await (const piece of piecesOfRequest(request)) void piece
}

export const isDeclaredOver = ({ headers }: Request, maxBytes: number): boolean =>
  Number(headers.get('content-length')) > maxBytes

const mayBeOver = (request: Request, bytes: number): boolean =>
  request.body !== null && (!request.headers.has('content-length') || isDeclaredOver(request, bytes))

/**
 * Reads and drops a body that the response does not depend on. Then the sender gets the response and can
 * reuse the connection. Stops after 1 MiB or a second; then the response is sent first, and the connection closes.
 * The runtime itself reads a small declared body, after the response.
 */
export async function discardBody(request: Request): Promise<void> {
  if (isDeclaredOver(request, DISCARDED_BYTES) || !mayBeOver(request, DRAIN_FROM_BYTES)) return
  try {
    await withTimeLimit(drain(piecesOfRequest(request)), DRAIN_LIMIT_MS)
  } catch {
    // The sender is too slow or has disconnected. The response is sent all the same.
  }
}

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0
  for await (const piece of pieces) {
    size += piece.byteLength
    if (size > DISCARDED_BYTES) return
  }
}

async function* piecesOfRequest({ body }: Request): AsyncGenerator<Uint8Array, void> {
  try {
    yield* piecesOf(body)
  } catch {
    cutOff()
  }
}

/** Throws the error of a cut-off body, which is the caller's fault: most likely they have disconnected. */
function cutOff(): never {
  throw new AppError('invalid_request', 'The body was cut off. Send it again.')
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** More levels than any request needs, and few enough to read a body recursively. */
const MOST_LEVELS = 100

/**
 * The maximum of members and list entries in all. 128 tools of 250 each, with 2,048 messages of 8 each, have fewer.
 * Four times as many would take the better part of a second to parse and read.
 */
const MOST_VALUES = 50_000

const findBodyFault = (text: string) => findStructureFault(text, MOST_LEVELS, MOST_VALUES)

/** Returns the JSON object in `bytes`, or the error. `headers`: those of the request. */
export function parseJsonObject(headers: Headers, bytes: Uint8Array): JsonObject | AppError {
  if (isCompressed(headers.get('content-encoding'))) return compressed()
  if (bytes.length === 0) return empty()
  if (!isJson(headers.get('content-type'))) return notDeclaredJson()
  if (hasByteOrderMark(bytes)) return byteOrderMark()
  const text = decode(bytes)
  if (text === null) return notJson()
  // Checked before parsing: a parser takes long over endless brackets, and over many values.
  const found = findBodyFault(text)
  if (found !== null) return structureError(found)
  const value = readJson(text)
  if (value === undefined) return text.trim() === '' ? empty() : notJson()
  return isJsonObject(value) ? value : notAnObject()
}

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export const isCompressed = (encoding: string | null): boolean =>
  encoding !== null && !/^\s*(?:identity)?\s*$/i.test(encoding)

function isJson(contentType: string | null): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type?.trim() ?? '')) return false
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter))
}

/** Returns true for the byte-order mark of UTF-8, or of UTF-16 in either order. */
function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  if (first === 0xef) return second === 0xbb && third === 0xbf
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

export const compressed = (): AppError =>
  new AppError(
    'unsupported_media_type',
    'The body is compressed. Send it uncompressed, without the header content-encoding.',
  )

const empty = (): AppError =>
  new AppError('invalid_request', 'The body is empty. Send one JSON object, with content-type: application/json.')

const notDeclaredJson = (): AppError =>
  new AppError(
    'unsupported_media_type',
    'The content type of the body is wrong. Send JSON in UTF-8, with content-type: application/json.',
  )

const byteOrderMark = (): AppError =>
  new AppError('invalid_request', 'The body begins with a byte-order mark. Send it in UTF-8 without the mark.')

const notJson = (): AppError =>
  new AppError('invalid_request', 'The body is not JSON in UTF-8. Check its quotes, commas and encoding.')

function structureError(found: NonNullable<ReturnType<typeof findBodyFault>>): AppError {
  switch (found.fault) {
    case 'duplicate_member':
      return namedTwice(found.name)
    case 'too_deep':
      return tooDeep()
    case 'too_many':
      return tooMany()
  }
}

const tooMany = (): AppError =>
  new AppError(
    'invalid_request',
    `The body has more than ${MOST_VALUES.toLocaleString('en')} members and list entries. Send fewer, or write data as text.`,
  )

const tooDeep = (): AppError =>
  new AppError('invalid_request', `The body is nested more than ${MOST_LEVELS} levels deep. Send fewer levels.`)

const namedTwice = (name: string): AppError =>
  new AppError(
    'invalid_request',
    `The body names a member twice${isPlainName(name) ? ` (${name})` : ''}. Name each member of an object once.`,
    { fields: [{ path: isPlainName(name) ? name : '', rule: 'named once' }] },
  )

const notAnObject = (): AppError =>
  new AppError('invalid_request', 'The body is not one JSON object. Send an object.', {
    fields: [{ path: '', rule: 'expected object' }],
  })
