// The pipeline of matching copies: what a text is read as, and the way back to the original.
import { describe, expect, it } from 'vitest'
import { matchingCopies } from '../../../../../src/scanning/identifiers/normalise/make-matching-copies.ts'
import { originalRange } from '../../../../../src/scanning/identifiers/normalise/matching-copy.ts'

const readings = (text: string) => matchingCopies(text).map((copy) => copy.text)
const first = (text: string) => readings(text)[0]

describe('the first copy', () => {
  it('is the text itself when that is plain', () => {
    expect(matchingCopies('BP 120/80\nHR 72')).toEqual([{ text: 'BP 120/80\nHR 72' }])
  })

  it.each([
    ['compatibility forms', '９４３ ⁴⁷⁶ 𝟓𝟗𝟏𝟗 ①', '943 476 5919 1'],
    ['digits of every script', '٩४೩๔７', '94347'],
    ['digits that are no decimal digits', '❶➋➂⓿', '1230'],
    ['keycaps', '9️⃣4️⃣3️⃣', '943'],
    ['invisible characters', '9\u{200b}4\u{ad}3\u{2060}4\u{feff}7', '94347'],
    ['fillers', '9\u{3164}4\u{115f}3\u{2800}4', '9434'],
    ['combining marks', '9\u{336}4\u{338}3', '943'],
    ['blanks', 'a\u{a0}b\u{2009}c\u{1680}d\te', 'a b c d e'],
    ['line ends', 'a\r\nb\u{2028}c \n\n\n d', 'a\nb\nc\n\nd'],
    ['dashes, slashes and dots', '1–2−3⁄4∕5·6。7', '1-2-3/4/5.6.7'],
    ['look-alike letters', 'Т12 Х00Е ΑΒ ԁоb', 'T12 X00E AB dob'],
    ['a ligature that holds nothing legible', 'a\u{fdfa}b', 'a\u{7f}b'],
    ['a unit in one character', '5㎨', '5\u{7f}'],
    ['tag characters', 'a\u{e0039}\u{e0034}b', 'a94b'],
    ['a fraction apart from its whole', '1½', '1 1/2'],
    ['currencies', '£5', '$5'],
  ])('folds %s', (_, text, reading) => {
    expect(first(text)).toBe(reading)
  })

  it('keeps a place for a character with no ASCII reading', () => {
    expect(first('9漢4')).toBe('9\u{7f}4')
  })
})

describe('further copies', () => {
  it.each([
    ['decimal and hexadecimal references', '&#57;&#x34;&#51', '943'],
    ['named references', '943&nbsp;476&sol;1&commat;', '943 476/1@'],
    ['percent escapes', '943%20476%2F1', '943 476/1'],
    ['program escapes', '\\u0039\\x34\\u{33}', '943'],
    ['a run that is shown backwards', '\u{202e}349\u{202c} x', '943 x'],
    ['letters typed for digits', 'O87 l23 4567', '087 123 4567'],
    ['spelled digits', 'one two three four five six seven', '1234567'],
    ['spelled digits with doubles and tens', 'oh eight seven double one treble two forty five', '0871122245'],
    ['spelled dates', 'third of March nineteen seventy', '3th of March 1970'],
  ])('read %s', (_, text, reading) => {
    expect(readings(text).slice(1)).toContain(reading)
  })

  it('leave a reference that means nothing, and an escape that is no UTF-8', () => {
    expect(readings('A&E; &bogus; 50%ff')).toEqual(['A&E; &bogus; 50%ff'])
  })

  it.each(['B12 1 mg, S1 and L5, O2 98%, I21, 10s, 5l, 3SD', 'one or two, twice', 'twenty-odd'])(
    'are not made for %s',
    (text) => {
      expect(readings(text)).toHaveLength(1)
    },
  )
})

describe('offsets', () => {
  it.each([
    ['𝟗4', 0, 1, { start: 0, end: 1 }],
    ['🩺 9\u{200b}43', 2, 5, { start: 2, end: 6 }],
    ['9️⃣4️⃣', 0, 2, { start: 0, end: 6 }],
    ['a  b', 2, 3, { start: 3, end: 4 }],
  ])('in the copy of %j lead back to code points', (text, start, end, range) => {
    const [copy] = matchingCopies(text)
    expect(copy && originalRange(copy, start, end)).toEqual(range)
  })
})
