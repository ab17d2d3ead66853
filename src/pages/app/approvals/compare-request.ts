// Compares a text with a waiting request by its hash. The text stays in the browser.
import { requestHash } from '../../../evidence/records/canonical-json.ts'
import { readJsonObject } from '../../../evidence/records/read-json-object.ts'

export type Comparison =
  | { result: 'empty' }
  /** `why`: the text has no hash that could be compared. */
  | { result: 'unreadable'; why: string }
  | { result: 'same' | 'another'; hash: string }

/** @param waiting the hash of the request that waits */
export function compareRequest(text: string, waiting: string): Comparison {
  if (text.trim() === '') return { result: 'empty' }
  const read = readJsonObject(new TextEncoder().encode(text))
  if (!read.readable) return { result: 'unreadable', why: 'This is not one JSON object.' }
  try {
    const hash = requestHash(read.object)
    return { result: hash === waiting ? 'same' : 'another', hash }
  } catch {
    return { result: 'unreadable', why: 'This text has no canonical form, so it has no hash.' }
  }
}
