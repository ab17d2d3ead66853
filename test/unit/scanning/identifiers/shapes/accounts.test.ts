// Accounts and tokens: what each looks like, and what only resembles it. All are invented or published as examples.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findShapes } from '../../../../../src/scanning/identifiers/find-shapes.ts'
import { ACCOUNTS } from '../../../../../src/scanning/identifiers/shapes/index.ts'
import { TOKENS } from '../../../../../src/scanning/identifiers/shapes/service-token.ts'
import { AWS, RANDOM, SHAPE_SAMPLES } from '../../../../../scripts/shape-samples.ts'
import { CLINICAL_TEXTS } from '../corpus.ts'
import { DISGUISES } from '../disguises.ts'
import { heldOutControls } from '../held-out/cases.ts'

const inText = (text: string) =>
  findShapes(text, () => true).map(({ shape, start, end }) => ({ shape, written: text.slice(start, end) }))

const TOKENS_AND_ACCOUNTS = [...ACCOUNTS, ...TOKENS].map(({ id }) => id)

describe.each(TOKENS_AND_ACCOUNTS)('%s', (shape) => {
  it.each(SHAPE_SAMPLES[shape].values)(
    'is %j, alone and in a sentence, and nothing of what stands around',
    (written) => {
      expect(inText(written)).toEqual([{ shape, written }])
      expect(inText(`🩺 The one: ${written}, as agreed.`)).toEqual([{ shape, written }])
      expect(inText(`{"it":"${written}"}`)).toEqual([{ shape, written }])
      const prose = 'about a knee that nobody has, without any figure. '.repeat(400)
      expect(inText(`${prose}${written}, ${prose}`)).toEqual([{ shape, written }])
    },
  )

  it.each(SHAPE_SAMPLES[shape].lookalikes)('is not %j', (text) => {
    expect(inText(`See ${text} there.`).map((found) => found.shape)).not.toContain(shape)
  })
})

describe('a token', () => {
  it('is one in an address too, which looks like one of e-mail', () => {
    const token = `ghp_${RANDOM.slice(0, 36)}`
    expect(inText(`git clone https://${token}@git.example.org/a/b`)).toEqual([
      { shape: 'github_token', written: token },
    ])
  })
})

describe('a name of a file or a setting', () => {
  it.each([
    ['card_', '4111111111111111', '_front'],
    ['scan_', '4111111111111111', '.jpg'],
    ['', '4111111111111111', '_2'],
    ['x_', '4111-1111-1111-1111', '_y'],
    ['x_', '4_1_1_1_1_1_1_1_1_1_1_1_1_1_1_1', '_y'],
    ['iban_', 'IE29AIBK93115212345678', '_x'],
    ['key_', `ghp_${RANDOM.slice(0, 36)}`, '.txt'],
    ['backup-', `AKIA${AWS}`, '-old'],
    ['OPENAI_', `sk-proj-${RANDOM}`, ''],
  ])('%s%s%s holds what its middle is', (before, written, after) => {
    expect(inText(`See ${before}${written}${after} there.`)).toContainEqual({
      shape: inText(written)[0]?.shape,
      written,
    })
  })
})

describe('a row of a table', () => {
  it.each([
    '4111111111111111,12/27,123',
    '17,4111111111111111,2027',
    '4111111111111111;12;27',
    'a,1,4111111111111111,2,b',
  ])('holds a card number between other figures: %s', (row) => {
    expect(inText(row)).toContainEqual({ shape: 'payment_card', written: '4111111111111111' })
  })

  it('of figures of six and seven is no card, whatever the check digit of some together', () => {
    const row = fc.array(fc.integer({ min: 100_000, max: 9_999_999 }), { minLength: 5, maxLength: 8 })
    const rows = fc.sample(row, { numRuns: 2000, seed: 30 }).map((figures) => figures.join('\t'))
    expect(rows.filter((text) => inText(text).some(({ shape }) => shape === 'payment_card'))).toEqual([])
  })
})

describe('a card number', () => {
  it('ends before its security code and is found behind other figures', () => {
    expect(inText('4111 1111 1111 1111 123')).toEqual([{ shape: 'payment_card', written: '4111 1111 1111 1111' }])
    expect(inText('1234 4111 1111 1111 1111')).toContainEqual({ shape: 'payment_card', written: '4111 1111 1111 1111' })
  })
})

const MARKS = [' ', ',', '/', '-', '_', '.', ':', '|', '\n', ', ', ' / ', ' - ']
/** A key in lines has blanks of its own. */
const UNBROKEN = (shape: (typeof TOKENS_AND_ACCOUNTS)[number]): string[] =>
  SHAPE_SAMPLES[shape].values.filter((written) => /^[!-~]+$/.test(written) && !/[ .-]\d{4}[ .-]/.test(written))
const inGroups = (written: string, size: number, mark: string): string =>
  (written.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(mark)

describe.each(TOKENS_AND_ACCOUNTS.filter((shape) => shape !== 'private_key'))('a disguised %s', (shape) => {
  const values = UNBROKEN(shape)

  it('is found with the same mark between all characters', () => {
    for (const mark of MARKS) {
      for (const written of values.map((value) => Array.from(value).join(mark))) {
        expect(inText(`The one: ${written}, as agreed.`)).toContainEqual({ shape, written })
        expect(inText(`(${written})`)).toContainEqual({ shape, written })
      }
    }
  })

  it('is found in groups', () => {
    const sizes = shape === 'payment_card' ? [4, 5, 6, 8] : [2, 3, 4, 5, 6, 8, 10]
    for (const mark of [' ', ',', '/', '\n']) {
      for (const size of sizes) {
        for (const written of values.map((value) => inGroups(value, size, mark))) {
          expect(inText(`The one: ${written}; as agreed.`)).toContainEqual({ shape, written })
        }
      }
    }
  })

  it('is found in characters that read the same', () => {
    const plain = DISGUISES.filter(
      ({ figuresOnly, nameMayDiffer }) => figuresOnly === undefined && nameMayDiffer !== true,
    )
    for (const { name, apply } of plain) {
      const missed = values
        .map(apply)
        .filter((written) => !inText(`See ${written} there.`).some((each) => each.shape === shape))
      expect({ name, missed }).toEqual({ name, missed: [] })
    }
  })
})

describe('a private key', () => {
  it.each([' ', ',', '/', '\u200b'])('is found with %j between all characters', (mark) => {
    const written = Array.from(SHAPE_SAMPLES.private_key.values[0] ?? '').join(mark)
    expect(inText(`${written}.`).map((each) => each.shape)).toContain('private_key')
  })
})

describe('an IBAN', () => {
  it.each(['X', '9', 'x'])('with %s directly behind it is none', (behind) => {
    for (const written of [
      'IE29AIBK93115212345678',
      'IE29 AIBK 9311 5212 3456 78',
      'I,E,2,9,A,I,B,K,9,3,1,1,5,2,1,2,3,4,5,6,7,8',
    ]) {
      expect(inText(`${written}${behind}`).map((each) => each.shape)).not.toContain('iban')
    }
  })

  it.each(['IE29AIBK93ll5212345678', 'IE29 AIBK 93II 52I2 3456 78', 'DE8937O4OO44O532O13OOO'])(
    'is one with letters typed for digits: %s',
    (written) => {
      expect(inText(written).map((each) => each.shape)).toContain('iban')
    },
  )
})

describe('clinical writing', () => {
  it('holds no account and no token', () => {
    const texts = [...CLINICAL_TEXTS, ...heldOutControls(2000, 29)]
    expect(texts.filter((text) => inText(text).length > 0)).toEqual([])
  })

  it('of rows of results is seldom taken for an account, and never for a token', () => {
    const value = fc.oneof(fc.integer({ min: 10, max: 99 }), fc.integer({ min: 100, max: 999 }))
    const row = fc
      .tuple(fc.array(value, { minLength: 3, maxLength: 12 }), fc.constantFrom(' ', ', ', '/', ',', '-'))
      .map(([values, mark]) => values.join(mark))
    const rows = fc.sample(row, { numRuns: 3000, seed: 29 })
    expect(rows.flatMap(inText).filter((each) => TOKENS_AND_ACCOUNTS.some((shape) => shape === each.shape))).toEqual([])
  })
})
