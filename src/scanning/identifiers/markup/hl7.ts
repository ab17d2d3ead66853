// Reads the escapes of HL7 v2 text (chapter 2.7), in which letters and results travel between systems: "MRN\.br\123456".
import { forEachMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import type { Reading } from './reading.ts'
import { BREAK, CELL, NOTHING, Rendering } from './rendering.ts'

/** Matches what only HL7 has: a command for a line, or a segment. The other escapes alone may be parts of a path. */
const SEGMENT = '^(?:MSH|PID|PV1|OBR|OBX|NTE|TXA|RF1|PRD|DG1|AL1|IN1)\\|'
const MAY_BE = new RegExp(`\\\\\\.(?:br|sp|ce|in|ti|sk|fi|nf)[ +-]?\\d{0,3}\\\\|${SEGMENT}`, 'im')
/** Matches at the beginning of a line. */
export const HL7_SEGMENT = new RegExp(SEGMENT, 'i')
/** The escapes, and the bars between the fields of a segment. */
const ESCAPE =
  /\|+|\\(?:\.(br|sp|ce|sk|in|ti|fi|nf)[ +-]?\d{0,3}|([efrst])|[hn]|[cmz][0-9a-z]{0,16}|x((?:[0-9a-f]{2}){1,32}))\\/gi
const COMMANDS: ReadonlyMap<string, number> = new Map([
  ['br', BREAK],
  ['sp', BREAK],
  ['ce', BREAK],
  ['sk', CELL],
])
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['e', '\\'],
  ['f', '|'],
  ['r', '~'],
  ['s', '^'],
  ['t', '&'],
])

export function* readHl7(text: string): Steps<Reading[]> {
  if (!MAY_BE.test(text)) return []
  const rendering = new Rendering(text)
  let at = 0
  yield* forEachMatchInSteps(text, ESCAPE, ({ 0: written, 1: command, 2: letter, 3: hex, index }) => {
    const end = index + written.length
    rendering.text(at, index)
    at = end
    if (written.startsWith('|')) rendering.markup(CELL, index)
    else if (letter !== undefined) rendering.character(CHARACTERS.get(letter.toLowerCase()) ?? '', index, end)
    else if (hex !== undefined) rendering.character(ofBytes(hex), index, end)
    else rendering.markup(COMMANDS.get(command?.toLowerCase() ?? '') ?? NOTHING, index)
  })
  rendering.text(at, text.length)
  return yield* rendering.finish()
}

const ofBytes = (hex: string): string =>
  new TextDecoder().decode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))
