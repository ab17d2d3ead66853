// Searches a text with markup as a person reads it.
import { forEachInSteps, type Steps, forEachMatchInSteps } from '../../../platform/computation-steps.ts'
import { type Range, Reading, Ranges, Segments, SET } from './reading.ts'
import { readHl7 } from './hl7.ts'
import { readHtml } from './html.ts'
import { readJsonText } from './json-text.ts'
import { readQuotedPrintable } from './quoted-printable.ts'
import { readRtf } from './rtf.ts'

/**
 * A finding read from markup. `pieces`: the parts of the text that its value was read from, if markup is between them. `value`: how
 * it is read.
 */
export type InMarkup = { readonly pieces?: readonly Range[]; readonly value?: string }

/** How often a reading is read again: mail that carries HTML that quotes HTML. */
const MOST_FORMS = 3

/**
 * Returns the findings in the readings of `text`, in order of start; they do not overlap. A text without markup is searched as it is
 * written.
 */
export function* findInMarkup<F extends Range>(
  text: string,
  findAsWritten: (text: string) => Steps<readonly F[]>,
  forms = MOST_FORMS,
): Steps<readonly (F & InMarkup)[]> {
  if (forms === 0) return yield* findAsWritten(text)
  const { readings, takesPlace } = yield* readMarkup(text)
  if (readings.length === 0) return yield* findAsWritten(text)
  let found: readonly (F & InMarkup)[] = []
  for (const reading of readings) {
    // The reading of the whole text is a text of its own. The others show parts of it in other ways.
    const inReading: readonly (F & InMarkup)[] =
      reading.counted === 'all'
        ? yield* findInMarkup(reading.text, findAsWritten, forms - 1)
        : yield* findAsWritten(reading.text)
    const added: (F & InMarkup)[] = []
    yield* forEachInSteps(inReading, (one) => {
      if (!reading.counts(one)) return
      const pieces = (one.pieces ?? [one]).flatMap(({ start, end }) => reading.pieces(start, end))
      const value = one.value ?? reading.text.slice(one.start, one.end)
      added.push({ ...one, ...reading.originalRange(one.start, one.end), value, pieces })
    })
    found = addApart(found, added)
  }
  return takesPlace ? found : addApart(found, yield* findAsWritten(text))
}

/** Adds to `kept` what no finding in it overlaps. Both are in order of start. */
function addApart<F extends Range>(kept: readonly F[], found: readonly F[]): readonly F[] {
  if (kept.length === 0) return found
  const merged: F[] = []
  let next = 0
  for (const one of found) {
    for (let at = kept[next]; at !== undefined && at.end <= one.start; at = kept[next]) {
      merged.push(at)
      next += 1
    }
    if ((kept[next]?.start ?? Infinity) >= one.end && (merged.at(-1)?.end ?? 0) <= one.start) merged.push(one)
  }
  for (const one of kept.slice(next)) merged.push(one)
  return merged
}

/** The surest reading first. `takesPlace`: the first replaces the text as written, whose markup another reading has. */
type Readings = { readonly readings: readonly Reading[]; readonly takesPlace: boolean }

/** Returns how a text is read in its outermost form. The first reading may have markup too. */
export function* readMarkup(text: string): Steps<Readings> {
  const hasBackslash = text.includes('\\')
  const json = hasBackslash ? yield* readJsonText(text) : undefined
  if (json?.isSure === true) return { readings: [json.reading], takesPlace: true }
  const mail = text.includes('=') ? yield* readQuotedPrintable(text) : undefined
  if (mail?.isSure === true) return { readings: [mail.reading], takesPlace: true }
  const hl7 = hasBackslash || text.includes('|') ? yield* readHl7(text) : []
  if (hl7.length > 0) return { readings: hl7, takesPlace: true }
  const rtf = hasBackslash ? yield* readRtf(text) : undefined
  if (rtf?.isSure === true) return { readings: rtf.readings, takesPlace: true }
  const html = text.includes('<') || text.includes('&lt;') ? yield* readHtml(text) : []
  // The visible text of HTML is read again.
  if (html.length > 0) return { readings: html, takesPlace: true }
  const unsure = [json?.reading, mail?.reading, ...(rtf?.readings ?? []), yield* readMarkdown(text)]
  return { readings: unsure.filter((reading) => reading !== undefined), takesPlace: false }
}

const MARKS = ['*', '__', '~~', '`', '\\']
const MARKED = /(\*{1,3}|_{2,3}|~~|`{1,3})(?=[^\s*_~`])([^\n*_~`]{1,60})(?<=\S)\1|\\(?=[.:()_@+-])/g
/** Only marks near a figure or an at sign can hide a value. */
const FIGURE = /[\d@]/
const BESIDE_EMPHASIS = 6
const BESIDE_ESCAPE = 24
const NEAR = 96

/** Returns the parts of the text around such marks, without them. Only findings across a mark count. */
function* readMarkdown(text: string): Steps<Reading | undefined> {
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
