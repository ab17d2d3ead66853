// Canonical JSON in the manner of RFC 8785: what is signed and hashed. The library prints; the guard before it refuses
// whatever JSON cannot say exactly.
import canonicalize from 'canonicalize'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/** Throws TypeError for anything that is not JSON: undefined, NaN, a class instance, a lone surrogate. */
export function canonicalJson(value: unknown): string {
  assertJson(value)
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not JSON')
  return text
}

export const canonicalBytes = (value: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(value))

function assertJson(value: unknown): void {
  switch (typeof value) {
    case 'boolean':
      return
    case 'string':
      if (!value.isWellFormed()) throw new TypeError('a lone surrogate')
      return
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot say')
      return
    case 'object':
      if (value === null) return
      if (Array.isArray(value)) {
        for (const item of value) assertJson(item)
        return
      }
      assertPlainObject(value)
      for (const [name, member] of Object.entries(value)) {
        assertJson(name)
        assertJson(member)
      }
      return
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      throw new TypeError(`${typeof value} is not JSON`)
  }
}

function assertPlainObject(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('not a plain object')
}
