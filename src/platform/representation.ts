// JSON answers that do not change until their data does: serialised and hashed once an isolate, sent with an ETag, and
// answered 304 to whoever has them already.
import type { AppContext } from './context.ts'
import { oncePer } from './once-per.ts'

type Representation = { json: string; etag: string }

const representationOf = oncePer(represent)

/** `value` must be the same object for the same data, and is never changed afterwards. */
export async function sendCacheable(c: AppContext, value: object, cacheControl: string): Promise<Response> {
  const { json, etag } = await representationOf(value)
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

async function represent(value: object): Promise<Representation> {
  const json = JSON.stringify(value)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(json))
  return { json, etag: `"${new Uint8Array(digest).toHex().slice(0, 32)}"` }
}
