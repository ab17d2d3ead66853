// Reads a request's small JSON body and query, each checked by a schema, and its header Idempotency-Key.
import type * as z from 'zod'
import { compressed, isCompressed, parseJsonObject, readBodyBytes } from './request-body.ts'
import type { AppContext } from './context.ts'
import { AppError } from './errors.ts'
import { checkBySchema, refuseDropped } from './check-by-schema.ts'

const MAX_BODY_BYTES = 16 * 1024

/**
 * Reads the body before the caller is looked up. Otherwise a slow sender could use rights that were removed meanwhile.
 * Never throws.
 */
export async function holdBody(c: AppContext): Promise<void> {
  if (c.get('heldBody') !== undefined || c.req.raw.body === null) return
  const held = await readBodyBytes(c.req.raw, MAX_BODY_BYTES).then(
    (bytes) => ({ bytes }),
    (fault: unknown) => ({ fault }),
  )
  c.set('heldBody', held)
}

/** Reads and checks the body. Throws `payload_too_large` over 16 KiB, `unsupported_media_type` or `invalid_request`. */
export async function readJsonBody<T extends z.ZodType>(c: AppContext, schema: T): Promise<z.output<T>> {
  const bytes = await takeBody(c)
  if (bytes === null) throw new AppError('payload_too_large', 'The body is over 16 KiB. Send a smaller one.')
  const value = parseJsonObject(c.req.raw.headers, bytes)
  if (value instanceof AppError) throw value
  const form = checkBySchema(schema, value, 'body')
  if (form instanceof AppError) throw form
  const dropped = refuseDropped(value, form, 'body')
  if (dropped !== null) throw dropped
  return form
}

export type FileLimits = { type: string; maxBytes: number }

/** Reads a body that is a file. Throws `payload_too_large`, `unsupported_media_type` or `invalid_request`. */
export async function readFileBody(c: AppContext, { type, maxBytes }: FileLimits): Promise<Uint8Array> {
  const { headers } = c.req.raw
  if (isCompressed(headers.get('content-encoding'))) throw compressed()
  if (headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() !== type) {
    const remedy = `Send the file as it is, with content-type: ${type}.`
    throw new AppError('unsupported_media_type', `The content type of the body is wrong. ${remedy}`)
  }
  const bytes = await readBodyBytes(c.req.raw, maxBytes)
  if (bytes !== null) return bytes
  throw new AppError('payload_too_large', `The file is over ${maxBytes / 2 ** 20} MiB. Send a smaller one.`)
}

/** Returns the text of a body that `holdBody` has read, for checks of how its JSON was written. */
export function readBodyText(c: AppContext): string {
  const held = c.get('heldBody')
  if (held === undefined || 'fault' in held || held.bytes === null) throw new TypeError('the body is not held')
  return new TextDecoder().decode(held.bytes)
}

async function takeBody(c: AppContext): Promise<Uint8Array | null> {
  const held = c.get('heldBody')
  if (held === undefined) return readBodyBytes(c.req.raw, MAX_BODY_BYTES)
  if ('fault' in held) throw held.fault
  return held.bytes
}

/** Reads and checks the query. operations.ts has checked that its members are declared. Throws `invalid_request`. */
export function readQuery<T extends z.ZodType>(c: AppContext, schema: T): z.output<T> {
  const query = checkBySchema(schema, c.req.query(), 'query')
  if (query instanceof AppError) throw query
  return query
}

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** Visible ASCII characters and spaces. */
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/

/**
 * A quoted string of structured fields (RFC 8941): a backslash escapes a quote or a backslash.
 * @see https://www.rfc-editor.org/rfc/rfc8941#section-3.3.3
 */
const QUOTED_STRING = /^"(?:[^"\\]|\\["\\])*"$/

/**
 * Returns the caller's idempotency key without its quotes, null without the header, or the error of a wrong value.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
 */
export function readIdempotencyKey(headers: Headers): string | null | AppError {
  const sent = headers.get(IDEMPOTENCY_HEADER)
  if (sent === null) return null
  const isQuoted = sent.length >= 2 && sent.startsWith('"') && sent.endsWith('"')
  if (isQuoted && !QUOTED_STRING.test(sent)) return malformed()
  const key = isQuoted ? sent.slice(1, -1).replace(/\\(["\\])/g, '$1') : sent
  if (!KEY_PATTERN.test(key)) return malformed()
  return key
}

const RULE = '1 to 255 characters of ASCII, in quotes or without'

const malformed = (): AppError =>
  new AppError('invalid_request', `The header ${IDEMPOTENCY_HEADER} has a wrong value. Send ${RULE}.`, {
    param: IDEMPOTENCY_HEADER,
    fields: [{ path: IDEMPOTENCY_HEADER, rule: RULE }],
  })
