// Writes canonical JSON (RFC 8785), the bytes that records sign and hash, and computes a request's hash from it. Refuses values
// that JSON cannot express exactly.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/**
 * Throws TypeError for anything that is not JSON (undefined, NaN, a class instance, a lone surrogate). Throws
 * RangeError for nesting deeper than the runtime's stack.
 * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalText(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot say')
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? canonicalList(value) : canonicalObject(value)
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      throw new TypeError(`${typeof value} is not JSON`)
  }
}

/** Returns what `make` returns; null if a value in it has no canonical JSON. */
export function ifCanonical<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}

export const canonicalBytes = (value: unknown): Uint8Array => encoder.encode(canonicalJson(value))

const encoder = new TextEncoder()

/**
 * Escapes a text. ECMAScript escapes the same characters as RFC 8785, except lone surrogates.
 * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.2
 */
function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate')
  return JSON.stringify(text)
}

function canonicalList(list: readonly unknown[]): string {
  let items = ''
  // `map` would skip the holes of a list.
  for (const item of list) items += items === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
  return `[${items}]`
}

/** @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3 */
function canonicalObject(object: object): string {
  if (!isPlainObject(object)) throw new TypeError('not a plain object')
  let members = ''
  // `toSorted` orders names by UTF-16 code units, as RFC 8785 requires.
  for (const name of Object.keys(object).toSorted()) {
    members += `${members === '' ? '' : ','}${canonicalText(name)}:${canonicalJson(object[name])}`
  }
  return `{${members}}`
}

function isPlainObject(object: object): object is { readonly [name: string]: unknown } {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null
}

/**
 * Returns the SHA-256 of the body's canonical JSON, in lower-case hexadecimal. Throws TypeError if the body has none.
 * @see docs/check-by-hand.md#the-request-hash
 */
export const requestHash = (body: unknown): string => bytesToHex(sha256(canonicalBytes(body)))
