// JSON answers that do not change until their data does: serialised and hashed once an isolate, sent with an ETag, and
// answered 304 to whoever has them already.
import type { AppContext } from './context.ts'
import { oncePer } from './once-per.ts'
import { sha256Hex } from './sha256.ts'

type Representation = { json: string; etag: string }

const representationOf = oncePer(represent)

/** `value` must be the same object for the same data, and is never changed afterwards. */
export function sendCacheable(c: AppContext, value: object, cacheControl: string): Response {
  const { json, etag } = representationOf(value)
  c.header('etag', etag)
  c.header('cache-control', cacheControl)
  if (matches(c.req.header('if-none-match'), etag)) return c.body(null, 304)
  return c.body(json, 200, { 'content-type': 'application/json' })
}

/** Whether one of the listed tags is this one (RFC 9110, weak comparison). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

function represent(value: object): Representation {
  const json = JSON.stringify(value)
  return { json, etag: `"${sha256Hex(json).slice(0, 32)}"` }
}
