// Parses JSON of unknown shape without losing digits of large numbers, and measures text in bytes.
import { Buffer } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../platform/json.ts'

/** The most levels of objects and lists in JSON that a caller sends as text: the same as in a body. */
export const MOST_LEVELS = 100

/** A text without a match has only numbers that a double represents exactly. */
const MAY_BE_INEXACT = /[:,[\s]-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/

const WHOLE = /^-?\d+$/

/** A reviver's third argument: the source text of a value. */
type Source = { readonly source?: string }

/**
 * Returns undefined if the text is not JSON. Two kinds of numbers become `JSON.rawJSON` objects, which are written again with the
 * same digits: whole numbers beyond 2^53 (mostly ids), and numbers beyond every double.
 */
export function parseJson(text: string): unknown {
  try {
    return MAY_BE_INEXACT.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
  } catch {
    return undefined
  }
}

function keepDigits(_name: string, value: unknown, ...[context]: readonly Source[]): unknown {
  const source = context?.source
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value
  return WHOLE.test(source) || !Number.isFinite(value) ? (JSON.rawJSON?.(source) ?? value) : value
}

/** Returns null if the text is not JSON, or not an object. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}

/** Returns the length in UTF-8. For long texts the runtime is many times faster than a loop, and it makes no copy. */
// oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- Cloudflare's types leave Buffer untyped
export const byteLength = (text: string): number => Buffer.byteLength(text)
