// What a caller sends in the form that its schema declares: the small JSON bodies that the management routes take, and queries.
import type { z } from '@hono/zod-openapi'
import { parseJsonObject, readBytes } from './body.ts'
import type { AppContext } from './context.ts'
import { AppError } from './errors.ts'
import { checkForm } from './validate.ts'

const MAX_BODY_BYTES = 16 * 1024

/** The `request` of a route that takes such a body. */
export const bodyOf = (schema: z.ZodType) => ({
  body: { required: true, content: { 'application/json': { schema } } },
})

/**
 * Reads the body ahead of what is looked up about the caller, so that nobody who sends it slowly is let in by what they were when
 * they began. Throws nothing.
 */
export async function holdBody(c: AppContext): Promise<void> {
  if (c.get('heldBody') !== undefined || c.req.raw.body === null) return
  const held = await readBytes(c.req.raw, MAX_BODY_BYTES).then(
    (bytes) => ({ bytes }),
    (fault: unknown) => ({ fault }),
  )
  c.set('heldBody', held)
}

/** Throws `payload_too_large` over 16 KiB, `unsupported_media_type` or `invalid_request`. */
export async function readForm<T extends z.ZodType>(c: AppContext, schema: T): Promise<z.output<T>> {
  const bytes = await takeBody(c)
  if (bytes === null) throw new AppError('payload_too_large', 'The body is over 16 KiB.')
  const value = parseJsonObject(c.req.raw.headers, bytes)
  if (value instanceof AppError) throw value
  const form = checkForm(schema, value, 'body')
  if (form instanceof AppError) throw form
  return form
}

/** The text of a body that `readForm` has taken, of a request that changes something: for what depends on how it was written. */
export function readText(c: AppContext): string {
  const held = c.get('heldBody')
  if (held === undefined || 'fault' in held || held.bytes === null) throw new TypeError('the body is not held')
  return new TextDecoder().decode(held.bytes)
}

async function takeBody(c: AppContext): Promise<Uint8Array | null> {
  const held = c.get('heldBody')
  if (held === undefined) return readBytes(c.req.raw, MAX_BODY_BYTES)
  if ('fault' in held) throw held.fault
  return held.bytes
}

/** The members of the query, which `mount` has found to be declared. Throws `invalid_request`. */
export function readQuery<T extends z.ZodType>(c: AppContext, schema: T): z.output<T> {
  const query = checkForm(schema, c.req.query(), 'query')
  if (query instanceof AppError) throw query
  return query
}
