// A streamed answer has the same findings in any pieces, and no character of a value is decided before the whole value is found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inventLetters } from '../../../../scripts/eval/invented-letters.ts'
import { createRandom } from '../../../../scripts/seeded-random.ts'
import { runSteps, SLICE_CHARACTERS } from '../../../../src/platform/computation-steps.ts'
import { createAnswerWindow } from '../../../../src/scanning/answers/answer-window.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { findInText, type FoundValue } from '../../../../src/scanning/redaction/find-redactable-values.ts'
import { runs } from '../../../support/runs.ts'
import { vectors } from '../../../fixtures/answers/answers.json'
import markup from '../../../fixtures/guard/markup.json'
import { CLINICAL_TEXTS, markedTexts } from '../identifiers/corpus.ts'
import { disguise } from '../identifiers/disguises.ts'
import { CLINICAL_PHRASE, IDENTIFIERS } from '../identifiers/generators.ts'
import { chooseLetter } from '../identifiers/markup/letters.ts'
import { RENDERERS, SPLITTING } from '../identifiers/markup/renderers.ts'

const all = (): boolean => true

const MARKED_TEXTS = IDENTIFIER_SHAPES.flatMap(markedTexts).map(({ text }) => text)

/** One piece that is the whole value is the same as no pieces. */
const written = (found: readonly FoundValue[]) =>
  found.map(({ shape, start, end, value, pieces = [{ start, end }] }) => ({ shape, start, end, value, pieces }))

const inWhole = (text: string) => written(runSteps(findInText(text, all)))

/** `decided`: after each piece. */
function inPieces(parts: readonly string[]) {
  const window = createAnswerWindow(all)
  const decided = parts.map((piece) => {
    runSteps(window.push(piece))
    return window.decided
  })
  runSteps(window.end())
  return { found: written(window.findings), decided, end: window.decided }
}

const letters = (text: string): string[] => text.split('')

/** Cuts a text into pieces of random lengths. */
function cutText(text: string, seed: number): string[] {
  const random = createRandom(seed)
  const cut: string[] = []
  for (let at = 0; at < text.length; at += cut.at(-1)?.length ?? 0)
    cut.push(text.slice(at, at + random.between(1, random.happens(0.3) ? 60 : 8)))
  return cut
}

/** Searches letter by letter. Checks that nothing of a value is decided before all of it. Returns what is found. */
function expectWhole(text: string) {
  const { found, decided, end } = inPieces(letters(text))
  expect(end).toBe(text.length)
  const leaks = found.filter((value) => decided.some((to) => to > value.start && to < value.end))
  expect({ text, leaks }).toEqual({ text, leaks: [] })
  expect(decided).toEqual(decided.toSorted((a, b) => a - b))
  expect({ text, found: inPieces([text]).found }).toEqual({ text, found })
  return found
}

function expectAsInText(text: string): void {
  expect({ text, found: expectWhole(text) }).toEqual({ text, found: inWhole(text) })
}

describe('a text in pieces', () => {
  it('of the corpora has the findings of the whole text', () => {
    for (const text of [...CLINICAL_TEXTS, ...MARKED_TEXTS]) expectAsInText(text)
  })

  it('is decided at the same places wherever it is cut in two', () => {
    const texts = [...CLINICAL_TEXTS, ...MARKED_TEXTS].filter((_, index) => index % 16 === 0)
    for (const text of texts) {
      const { found, decided } = inPieces(letters(text))
      for (let at = 1; at < text.length; at += 1) {
        const cut = inPieces([text.slice(0, at), text.slice(at)])
        expect({ text, at, found: cut.found, decided: cut.decided }).toEqual({
          text,
          at,
          found,
          decided: [decided[at - 1], decided.at(-1)],
        })
      }
    }
  })

  it('of many values has the findings of the whole text, however it is cut', () => {
    for (const { text } of inventLetters(runs(60), 7)) {
      expectAsInText(text)
      for (let seed = 0; seed < 4; seed += 1) expect(inPieces(cutText(text, seed)).found).toEqual(inWhole(text))
    }
  })

  it('of prose and disguised values has every value, whole', () => {
    const value = fc
      .tuple(
        fc.constantFrom(...IDENTIFIER_SHAPES).chain((shape) => IDENTIFIERS[shape]),
        disguise,
      )
      .map(([identifier, { apply }]) => apply(identifier))
    const part = fc.oneof(value, CLINICAL_PHRASE, fc.constantFrom(...CLINICAL_TEXTS))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.nat(), (parts, seed) => {
        const text = parts.join('. ')
        const found = expectWhole(text)
        expect(inPieces(cutText(text, seed)).found).toEqual(found)
        expect(found).toEqual(inWhole(text))
      }),
      { numRuns: runs(300), seed: 31 },
    )
  })

  it('of any characters has one result', () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom(' 087 123 4567 ', '\u202e', '<b>', '\\', '=\n', '\u200b'),
      ),
    )
    fc.assert(
      fc.property(text, fc.nat(), (parts, seed) => {
        const whole = parts.join('')
        expect(inPieces(cutText(whole, seed)).found).toEqual(expectWhole(whole))
      }),
      { numRuns: runs(200), seed: 32 },
    )
  })

  it('has only findings that are wanted', () => {
    const window = createAnswerWindow((shape) => shape !== 'phone_number')
    runSteps(window.push('Ring 087 123 4567, card 4111 1111 1111 1111.'))
    runSteps(window.end())
    expect(window.findings.map(({ shape }) => shape)).toEqual(['payment_card'])
  })
})

describe.each(vectors.filter(({ form }) => form === 'plain'))('the text of $name', ({ text, findings, decided }) => {
  it('has its findings, and is decided where it says', () => {
    const result = inPieces(letters(text))
    expect(result.found.map(({ shape, start, end }) => ({ shape, start, end }))).toEqual(findings)
    const moves = result.decided.map((to, index) => [index + 1, to])
    expect(moves.filter(([, to], index) => index === 0 || to !== result.decided[index - 1])).toEqual(decided)
    expectAsInText(text)
  })
})

describe('a value', () => {
  it.each([
    ['a quoted mailbox', 'Please write dear "mary anne josephine murphy"@host.ie and nothing more'],
    ['a quoted mailbox with references', 'Please write &quot;dear mary anne murphy&quot;@host.ie and nothing more'],
    ['a mailbox with apostrophes', "See mary'brien'smith@host.ie again tomorrow evening"],
    ['a mailbox with blanks', 'mary . murphy . smith @ host . ie again tomorrow evening'],
    ['a mailbox with marks', 'See mary**murphy**smith@host.ie again tomorrow evening'],
    ['a token in groups of letters', 'The key AKIA IOSF ODNN 7EXA MPLE and nothing more besides'],
    ['a token in groups', 'The key ghp_q7Zr abcd efgh ijkl mnop qrst uvwx yzab cdef ghij1 was seen there'],
    ['an Irish month of two words', 'Chonaic sinn anseo Deireadh Fómhair 2021 agus rudaí eile fosta'],
    ['a day of the next month', 'Please come again on the 3rd of next month for review please'],
    ['Cyrillic look-alikes', 'Ring dоuble оh еight sеven оnе twо thrеe fоur fivе siх sеven. Thanks and goodbye then.'],
    [
      'invisible characters',
      'Ring dou\u200bble oh ei\u0301ght se\u200bven one two th\u00adree four five six seven. Thanks again.',
    ],
    ['a turned value', 'She is well today. Number \u202e7654 321 780\u202c and other plain words'],
    ['a turned end', 'She is well today. Number 087 123 \u202eplain words until line ends 7654\n and other words'],
    ['marks inside', 'Ring 087 **123** 4567 some other words more'],
    ['marks around words', 'Ring 12**3 4567 some other words** and other words more'],
    ['digits of other scripts', 'Number ०८७ १२३ ४५६७ and some other words, 𝟎𝟖𝟕 𝟏𝟐𝟑 𝟒𝟓𝟔𝟕 once more'],
  ])('is decided as a whole: %s', (_, text) => expectAsInText(text))

  it('behind many code marks on its line is read with all of them', () => {
    expectAsInText(`${'some `code`,`other`,`more` words '.repeat(20)}ring \`087\`-\`123\`-\`4567\` some other words`)
  })
})

describe('text without blanks', () => {
  it.each([
    ['患者今日来院复诊，诉咳嗽三天，无发热。', '电话087 123 4567，'],
    ['患者さんは本日外来を受診しました。', '電話番号は087-123-4567です。'],
    ['환자는오늘외래에서진료를받았습니다. ', '전화 087 123 4567 '],
    ['ผู้ป่วยมาพบแพทย์วันนี้ด้วยอาการไอ', 'โทร 087 123 4567 '],
  ])('is decided as it comes: %s', (sentence, value) => {
    const text = `${sentence}${value}`.repeat(20)
    expectAsInText(text)
    const { decided } = inPieces(letters(text))
    expect(Math.max(...decided.map((to, index) => index + 1 - to))).toBeLessThan(80)
  })

  it('counts eight letters as a plain word', () => {
    expect(inPieces(letters('一'.repeat(24))).decided.filter((to) => to > 0)).toEqual([
      ...Array.from({ length: 8 }, () => 8),
      16,
    ])
  })
})

const random = createRandom(5)
const base64 = (length: number): string =>
  Array.from({ length }, () =>
    random.choose(letters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')),
  ).join('')
const AFTER = ' was given there yesterday evening.'
const lines = (length: number): string =>
  base64(length)
    .match(/.{1,64}/g)
    ?.join('\n') ?? ''
const privateKey = (label: string, body: string): string =>
  `-----BEGIN ${label}PRIVATE KEY-----\n${body}\n-----END ${label}PRIVATE KEY-----`

describe('a hostile text', () => {
  /** No value is longer. */
  const MOST_HELD = 24_576

  it.each([
    ['a web token of 20 KB', `Token eyJ${base64(2_000)}.eyJ${base64(16_000)}.${base64(1_500)}${AFTER}`],
    ['a private key of 12 KB', `The key:\n${privateKey('RSA ', lines(12_000))}\nnothing else besides that`],
    [
      'a private key of words',
      `The key:\n${privateKey('SOME OTHER ', 'some plain words there\n'.repeat(400))}${AFTER}`,
    ],
    ['30 KB without a blank', `File ${base64(30_000)}${AFTER}`],
    ['10,000 digits', `N ${'4736281905'.repeat(1_000)}${AFTER}`],
    ['4,000 digits apart', `N ${Array.from({ length: 4_000 }, () => random.below(10)).join(' ')}${AFTER}`],
    ['3,000 numbers', Array.from({ length: 3_000 }, () => random.between(1_000_000, 9_999_999)).join(', ') + AFTER],
    ['20 KB of one letter', `${'a'.repeat(20_000)} 1234567FA${AFTER}`],
    ['3,000 quotation marks', `${'"'.repeat(3_000)} PPS 1234567FA "and that was" all there.`],
    ['halves of pairs', `${'\ud800'.repeat(3_000)}\udc00 1234567FA${AFTER}`],
  ])('of %s has one result, and holds no more than a value can have', (_, text) => {
    const cut = text.match(/[^]{1,7}/g) ?? []
    const { found, decided } = inPieces(cut)
    expect(found).toEqual(inPieces([text]).found)
    expect(found).toEqual(inWhole(text))
    expect(found.filter((value) => decided.some((to) => to > value.start && to < value.end))).toEqual([])
    expect(Math.max(...decided.map((to, index) => (index + 1) * 7 - to))).toBeLessThanOrEqual(MOST_HELD + 7)
  })

  it.each([
    'She is well today, thank you. BP 142/88 and HR 72. ',
    'a',
    '4111 ',
    '<p>word ',
    '"',
    '患',
    '\u202e',
    '-----BEGIN PRIVATE KEY----- word ',
  ])('of 1.2 million characters of %j is read in steps', (unit) => {
    const text = unit.repeat(Math.ceil(1_200_000 / unit.length)).slice(0, 1_200_000)
    const window = createAnswerWindow(all)
    let [steps, longest] = [0, 0]
    for (const part of [window.push(text), window.end()]) {
      for (const step of part) {
        longest = Math.max(longest, step)
        steps += 1
      }
    }
    expect(longest).toBeLessThanOrEqual(2 * SLICE_CHARACTERS)
    expect(steps).toBeGreaterThan(100)
    expect(window.decided).toBe(text.length)
  })
})

describe('a text with markup', () => {
  const LEAD = 'The patient was seen in clinic today. She is well, thank you.\n\n'

  it('of the written cases has the findings of the whole text', () => {
    for (const { text } of markup) {
      expectAsInText(text)
      expectAsInText(LEAD + text)
    }
  })

  it.each(Object.entries({ ...RENDERERS, ...SPLITTING }))('as %s has the findings of the whole text', (_, render) => {
    for (let count = 0; count < runs(40); count += 1) {
      const rendered = render(chooseLetter(random), random).text
      for (const text of [rendered, LEAD + rendered]) expectAsInText(text)
    }
  })

  it.each([
    ['HTML', 'Ring 087 <b>123</b> 4567', 60],
    ['escaped HTML', 'Ring 087 &lt;b&gt;123&lt;/b&gt; 4567', 60],
    ['a comment', 'Ring 087 <!-- one --> 123 4567', 60],
    ['RTF', 'Ring 087 {\\b 123}\\~4567\\par', 60],
    ['JSON', 'The answer is {"phone": "Tel\\n087 123 4567"}', 70],
    ['mail', 'Ring 087 12=\n3 4567', 60],
    ['escapes of mail', 'Ring 087=20123=204567', 60],
    ['HL7', 'Seen.\nPID|1||087 123|4567\nOBX|1|FT|||087 123 4567', 60],
    ['a command of HL7', 'Seen.\\.br\\MRN\\.br\\778812', 60],
  ])('waits for the end from its first markup on, wherever it is cut: %s', (_, marked, heldTo) => {
    const text = `${LEAD}${marked} today and tomorrow. She is well, thank you, and that is all there is.`
    expectAsInText(text)
    const found = inWhole(text)
    for (let at = 1; at < text.length; at += 1) {
      const cut = inPieces([text.slice(0, at), text.slice(at)])
      expect(cut.found).toEqual(found)
      expect(cut.decided.at(-1)).toBeLessThanOrEqual(LEAD.length + heldTo)
      expect(cut.decided.at(-1)).toBeLessThanOrEqual(text.length - 60)
    }
  })

  it.each([
    'CRP <5 and SpO2 < 92% with eGFR<60, p<0.05, GCS=15 and HR=72 or EF = 55% today',
    'A & E review, H&C number, 50% of 20 and 5 > 3, a|b, results -> normal and "fine"',
    'Write to <mary@example.ie> or see <https://example.ie/leaflet> for more about that leaflet',
    'The **blood pressure** was `120/80` and ~~not~~ __very__ high, * one * two * and so on',
  ])('is not %s', (text) => {
    expectAsInText(text)
    const decided = inPieces([text + ' and nothing besides these plain words'.repeat(3)]).decided
    expect(decided[0]).toBeGreaterThan(text.length)
  })
})

describe('the undecided end', () => {
  const heldIn = (texts: readonly string[]): number[] =>
    texts
      .flatMap((text) => inPieces(letters(text)).decided.map((to, index) => index + 1 - to))
      .toSorted((a, b) => a - b)
  const share = (held: readonly number[], part: number): number => held[Math.floor(held.length * part)] ?? Infinity

  it('of clinical texts has at most 25 characters at the median and 180 at the 99th percentile', () => {
    for (const texts of [CLINICAL_TEXTS, MARKED_TEXTS, inventLetters(60, 7).map(({ text }) => text)]) {
      const held = heldIn(texts)
      expect(share(held, 0.5)).toBeLessThanOrEqual(25)
      expect(share(held, 0.99)).toBeLessThanOrEqual(180)
    }
  })
})
