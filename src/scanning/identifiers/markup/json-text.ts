// Reads the escapes of JSON strings (RFC 8259, section 7: https://www.rfc-editor.org/rfc/rfc8259#section-7). The marks and names of
// JSON stay, because a member's name may be the label of its value.
import { forEachMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { readJson } from '../../../platform/json.ts'
import { DECODED, Ranges, Reading, Segments } from './reading.ts'

const MAY_BE = /^\s*[[{"]/
const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|.)/g
/** JSON within other text may not be complete. Only its line ends and tabs are read then: "\t" may also begin a word of a path. */
const BLANK_ESCAPE = /\\[nrt]/g
const STRING_WITH_BLANK = /"[^"\n]{0,2048}\\[nrt]/
/** The longest gap between an escape and the value whose label is before it. */
const REACH = 12

const CHARACTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** `isSure`: the text is JSON, so that the reading takes its place. */
export function* readJsonText(text: string): Steps<{ isSure: boolean; reading: Reading } | undefined> {
  if (MAY_BE.test(text) && readJson(text) !== undefined) return { isSure: true, reading: yield* readEscapes(text) }
  return STRING_WITH_BLANK.test(text) ? { isSure: false, reading: yield* readEscapes(text, BLANK_ESCAPE) } : undefined
}

/** Decodes the escapes of JSON, or some of them. */
export function* readEscapes(json: string, pattern = ESCAPE): Steps<Reading> {
  const segments = new Segments(json)
  const ranges = new Ranges()
  let from = 0
  yield* forEachMatchInSteps(json, pattern, ({ 0: escape, 1: hex, index }) => {
    segments.copy(from, index)
    from = index + escape.length
    const character = hex === undefined ? escape.charAt(1) : String.fromCharCode(Number.parseInt(hex, 16))
    ranges.push(segments.length - 1, segments.length + 1 + REACH)
    segments.put(DECODED, hex === undefined ? (CHARACTERS[character] ?? character) : character, index, from)
  })
  segments.copy(from, json.length)
  return yield* Reading.of(segments, pattern === ESCAPE ? 'all' : { ranges, by: 'touching' })
}
