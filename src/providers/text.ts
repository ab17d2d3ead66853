// JSON whose shape is not known yet.
import { Buffer } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../platform/json.ts'

/** How deep the objects and lists may be nested that a caller hands on as text: as deep as those of a body. */
export const MOST_LEVELS = 100

/** A text without a match has only numbers that a double holds exactly. */
const MAY_BE_INEXACT = /[:,[\s]-?(?:\d{16}|[\d.]+[eE]\+?\d{3})/

const WHOLE = /^-?\d+$/

/** A reviver's third argument: the text that a value was written as. */
type Source = { readonly source?: string }

/**
 * undefined where the text is no JSON, which no JSON text means. Whole numbers beyond 2^53, ids mostly, and those beyond
 * every double keep their digits: they are no numbers here, and are written again as they were.
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

/** null where the text is no JSON, or JSON but no object. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}

/** In UTF-8. The runtime counts a long text many times faster than a loop here, and writes none of it down. */
// oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- Cloudflare's types leave Buffer untyped
export const byteLength = (text: string): number => Buffer.byteLength(text)
