// Reads emphasis, code and escapes of Markdown, whose marks a person does not see: "087 **123** 4567", "joe\.bloggs@example.ie".
import { forEachMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { Ranges, Reading, Segments, SET } from './reading.ts'

const MARKS = ['*', '__', '~~', '`', '\\']
const MARKED = /(\*{1,3}|_{2,3}|~~|`{1,3})(?=[^\s*_~`])([^\n*_~`]{1,60})(?<=\S)\1|\\(?=[.:()_@+-])/g
/** Only marks near a figure or an at sign can hide a value. */
const FIGURE = /[\d@]/
const BESIDE_EMPHASIS = 6
const BESIDE_ESCAPE = 24
const NEAR = 96

/** Returns the parts of the text around such marks, without them. Only findings across a mark count. */
export function* readMarkdown(text: string): Steps<Reading | undefined> {
  if (!MARKS.some((mark) => text.includes(mark))) return undefined
  const segments = new Segments(text)
  const ranges = new Ranges()
  let at = 0
  let tail = 0
  const skipTo = (from: number, to: number): void => {
    segments.copy(at, from)
    ranges.push(segments.length - 1, segments.length + 1)
    at = to
  }
  yield* forEachMatchInSteps(text, MARKED, ({ 0: whole, 1: mark, 2: marked = '', index }) => {
    const end = index + whole.length
    const beside = mark === undefined ? BESIDE_ESCAPE : BESIDE_EMPHASIS
    if (!FIGURE.test(text.slice(Math.max(0, index - beside), end + beside))) return
    if (index - NEAR > tail) {
      segments.copy(at, tail)
      segments.put(SET, '\n\n', tail, tail)
      at = index - NEAR
    }
    skipTo(index, mark === undefined ? end : index + mark.length)
    if (mark !== undefined) skipTo(at + marked.length, end)
    tail = Math.min(text.length, end + NEAR)
  })
  if (at === 0) return undefined
  segments.copy(at, tail)
  return yield* Reading.of(segments, { ranges, by: 'touching' })
}
