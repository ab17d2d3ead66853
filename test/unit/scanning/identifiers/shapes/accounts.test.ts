// Accounts and tokens: what each looks like, and what only resembles it. All are invented or published as examples, and
// tokens are put together here, so that nothing that looks for leaked ones finds any.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findShapes } from '../../../../../src/scanning/identifiers/find-shapes.ts'
import {
  ACCOUNT_SHAPES,
  TOKEN_SHAPES,
  type AccountShape,
  type TokenShape,
} from '../../../../../src/scanning/identifiers/shapes/shape-table.ts'
import { CLINICAL_TEXTS } from '../corpus.ts'
import { DISGUISES } from '../disguises.ts'
import { heldOutControls } from '../held-out/cases.ts'

const RANDOM = 'q7Zr2LmX9cVb4NtK8sWd3FgH6jPy1Aa5Ee0UuIiOoRrTtYy2'
const AWS = 'Q7ZR2LMX5CVB4NTK'
const jwt = (...parts: string[]): string => parts.map((part) => btoa(part).replace(/=+$/, '')).join('.')
const pem = (label: string, body: string): string => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`
const BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n${RANDOM}==`

const FOUND: Record<AccountShape | TokenShape, readonly string[]> = {
  payment_card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4222222222222',
    '5555-5555-5555-4444',
    '2223003122003222',
    '3782 822463 10005',
    '378282246310005',
    '6011.1111.1111.1117',
    '3056 930902 5904',
    '36227206271667',
    '3530111333300000',
    '6200000000000005',
    '6759649826438453',
    '４１１１ １１１１ １１１１ １１１１',
    '4111\u00a01111\u00a01111\u00a01111',
  ],
  iban: [
    'IE29 AIBK 9311 5212 3456 78',
    'IE29AIBK93115212345678',
    'ie29aibk93115212345678',
    'GB29 NWBK 6016 1331 9268 19',
    'DE89370400440532013000',
    'FR14 2004 1010 0505 0001 3M02 606',
    'NL91ABNA0417164300',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
    'LC55HEMM000100010012001200023015',
    'CH93-0076-2011-6238-5295-7',
  ],
  aqta_key: [`aqta_1e${RANDOM}`, `sk-aqta-1e${RANDOM}`, `vk_live_1e${RANDOM}`],
  openai_key: [`sk-proj-${RANDOM}_-x`, `sk-${RANDOM}`, `sk-svcacct-${RANDOM}`],
  anthropic_key: [`sk-ant-api03-${RANDOM}-AA`],
  github_token: [`ghp_${RANDOM.slice(0, 36)}`, `gho_${RANDOM.slice(0, 36)}`, `github_pat_11ABCDEFG0${RANDOM}`],
  slack_token: [`xoxb-2401-2402-${RANDOM}`, `xapp-1-A01-240-${RANDOM}`],
  aws_access_key: [`AKIA${AWS}`, `ASIA${AWS}`],
  google_api_key: [`AIza${RANDOM.slice(0, 35)}`],
  stripe_key: [`sk_live_${RANDOM}`, `rk_test_${RANDOM}`],
  json_web_token: [
    jwt('{"alg":"HS256"}', '{"sub":"1234567890"}', 'a signature'),
    jwt('{"alg":"none"}', '{"sub":"1"}', ''),
  ],
  private_key: [
    pem('PRIVATE KEY', BODY),
    pem('RSA PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\n\n${BODY}`),
    pem('OPENSSH PRIVATE KEY', BODY).replaceAll('\n', '\\n'),
    `-----BEGIN EC PRIVATE KEY-----\n${BODY}`,
  ],
}

/** By the shape that each is not. */
const FALSE_FRIENDS: Record<AccountShape | TokenShape, readonly string[]> = {
  payment_card: [
    '4111 1111 1111 1112',
    '4111 1111 1111 111',
    '9111111111111111',
    '1700000000000000',
    'a4111111111111111',
    '41111111111111110000000',
    '0.4111111111111111',
    '4111-1111-1111-1111-8111-4111',
  ],
  iban: [
    'IE29 AIBK 9311 5212 3456 79',
    'IE29 AIBK 9311 5212 3456 7',
    'Ie29AIBK93115212345678',
    'ZZ29AIBK93115212345678',
    'IE29AIBK93115212345678X',
    'IE29AIBK931152123456780',
  ],
  aqta_key: ['aqta_trace', 'vk_live_', `raqta_1e${RANDOM}`],
  openai_key: ['sk-SK', 'sk-fading-circle-loading-spinner-2', 'ask-questions-about-2024-and-whatever-else'],
  anthropic_key: ['sk-ant-hill', 'sk-ant-'],
  github_token: ['ghp_', `ghp_${RANDOM.slice(0, 12)}`, 'github_pattern'],
  slack_token: ['xoxb-team', 'xoxo-love-from-all-of-us'],
  aws_access_key: ['AKIA', 'ASIAN MARKETS IN TURMOIL', `AKIA${AWS}Q`, `AKIA${AWS.toLowerCase()}`],
  google_api_key: ['AIza', `AIza${RANDOM}`],
  stripe_key: ['sk_live_', 'sk_lives_alone', `pk_live_${RANDOM}`],
  json_web_token: ['eyJ', btoa('{"alg":"HS256"}'), 'eyJhbGciOiJIUzI1NiJ9.profile.picture'],
  private_key: [pem('PUBLIC KEY', BODY), pem('CERTIFICATE', BODY), '-----BEGIN PRIVATE'],
}

const inText = (text: string) =>
  findShapes(text, () => true).map(({ shape, start, end }) => ({ shape, written: text.slice(start, end) }))

describe.each([...ACCOUNT_SHAPES, ...TOKEN_SHAPES])('%s', (shape) => {
  it.each(FOUND[shape])('is %j, alone and in a sentence, and nothing of what stands around', (written) => {
    expect(inText(written)).toEqual([{ shape, written }])
    expect(inText(`🩺 The one: ${written}, as agreed.`)).toEqual([{ shape, written }])
    expect(inText(`{"it":"${written}"}`)).toEqual([{ shape, written }])
    const prose = 'about a knee that nobody has, without any figure. '.repeat(400)
    expect(inText(`${prose}${written}, ${prose}`)).toEqual([{ shape, written }])
  })

  it.each(FALSE_FRIENDS[shape])('is not %j', (text) => {
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
const TOKENS_AND_ACCOUNTS = [...ACCOUNT_SHAPES, ...TOKEN_SHAPES]
/** A key in lines has blanks of its own. */
const UNBROKEN = (shape: AccountShape | TokenShape): string[] =>
  FOUND[shape].filter((written) => /^[!-~]+$/.test(written) && !/[ .-]\d{4}[ .-]/.test(written))
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
    const written = Array.from(FOUND.private_key[0] ?? '').join(mark)
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
