// Reads emphasis and code of Markdown, whose marks a person does not see: "087 **123** 4567".
import { forEachMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { Ranges, Reading, Segments, SET } from './reading.ts'

const MARKS = ['*', '__', '~~', '`']
const EMPHASIS = /(\*{1,3}|_{2,3}|~~|`{1,3})(?=[^\s*_~`])[^\n*_~`]{1,60}(?<=\S)\1/g
/** Only emphasis near a figure or an at sign can hide a value. */
const FIGURE = /[\d@]/
const BESIDE = 6
const NEAR = 96

/** Returns the parts of the text around such emphasis, without its marks. Only findings across a mark count. */
export function* readMarkdown(text: string): Steps<Reading | undefined> {
  if (!MARKS.some((mark) => text.includes(mark))) return undefined
  const segments = new Segments(text)
  const ranges = new Ranges()
  let at = 0
  let tail = 0
  yield* forEachMatchInSteps(text, EMPHASIS, ({ 0: whole, 1: mark = '', index }) => {
    const end = index + whole.length
    if (!FIGURE.test(text.slice(Math.max(0, index - BESIDE), end + BESIDE))) return
    if (index - NEAR > tail) {
      segments.copy(at, tail)
      segments.put(SET, '\n\n', tail, tail)
      at = index - NEAR
    }
    segments.copy(at, index)
    ranges.push(segments.length - 1, segments.length + 1)
    segments.copy(index + mark.length, end - mark.length)
    ranges.push(segments.length - 1, segments.length + 1)
    at = end
    tail = Math.min(text.length, end + NEAR)
  })
  if (at === 0) return undefined
  segments.copy(at, tail)
  return yield* Reading.of(segments, { ranges, by: 'touching' })
}
