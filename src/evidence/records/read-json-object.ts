// Reads one JSON object from untrusted bytes. Text that two readers could understand differently counts as unreadable, not as an
// invalid record.
import { decodeUtf8 } from '../../platform/bytes.ts'
import { isJsonObject, readJson, type JsonObject, findStructureFault } from '../../platform/json.ts'
import { rememberNumberTexts, revealsNumberTexts } from './number-text.ts'

export const READ_FAULTS = {
  byte_order_mark: 'It begins with a byte-order mark.',
  not_utf8: 'It is not valid UTF-8.',
  not_json: 'It is not JSON.',
  not_one_object: 'It is JSON, but not one object.',
  duplicate_member: 'An object in it names the same member twice.',
  too_deep: 'It is nested more than 500 levels deep.',
  numbers_untold: 'This browser or program cannot read its numbers exactly. Use a newer one.',
} as const

export type ReadFault = keyof typeof READ_FAULTS

export type ReadObject = { readable: true; object: JsonObject } | { readable: false; fault: ReadFault }

const MOST_LEVELS = 500

/** @see https://www.rfc-editor.org/rfc/rfc8259 */
export function readJsonObject(bytes: Uint8Array): ReadObject {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { readable: false, fault: 'byte_order_mark' }
  const text = decodeUtf8(bytes)
  if (text === null) return { readable: false, fault: 'not_utf8' }
  const value = readJson(text)
  if (value === undefined) return { readable: false, fault: 'not_json' }
  const found = findStructureFault(text, MOST_LEVELS)
  if (found !== null) return { readable: false, fault: found.fault }
  // Without this check, a runtime that hides number spellings would judge a valid record invalid.
  if (!revealsNumberTexts(text)) return { readable: false, fault: 'numbers_untold' }
  const withNumberTexts = rememberNumberTexts(text, value)
  return isJsonObject(withNumberTexts)
    ? { readable: true, object: withNumberTexts }
    : { readable: false, fault: 'not_one_object' }
}
