// Which passwords are taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import common from '../../../../data/common-passwords.json' with { type: 'json' }
import { COMMON_WORDS } from '../../../../src/accounts/sign-in/weak-passwords.ts'
import { passwordFault } from '../../../../src/accounts/sign-in/password-rules.policy.ts'

const ann = { email: 'ann.example@hospital.example', name: 'Ann Sample' }
const fault = (password: string, whose = ann) => passwordFault(password, whose)

const RAIN = '🌧🌨🌩🌪🌫🌬🌭🌮🌯🌰🌱🌲🌳🌴🌵'
const REPEATED = 'not the same characters again and again'
const COMMON = 'not a common phrase, nor a few common words, years or keys in a row'

describe('a password is taken', () => {
  it.each([
    ['of fifteen characters', 'wet grey window'],
    ['of fifteen characters beyond the first plane', RAIN],
    ['of 256 characters beyond the first plane', `${Array.from(RAIN.repeat(18)).slice(0, 255).join('')}☂`],
    ['of words', 'a wet morning in late november'],
    ['with common words among others', 'my password is a marigold'],
    ['of a word that no list has, with common ones', 'myfondestpassword'],
    ['of fifteen digits in no order', '604 917 352 806 1'],
  ])('%s', (_, password) => {
    expect(fault(password)).toBeNull()
  })

  it('that has a short name or a short address in it', () => {
    expect(fault('bo bought a wet morning', { email: 'bo@a.example', name: 'Bo' })).toBeNull()
  })
})

describe('a password is refused', () => {
  it.each([
    ['of fourteen characters', 'x'.repeat(14), 'at least 15 characters'],
    ['of fourteen characters beyond the first plane', '🌧'.repeat(14), 'at least 15 characters'],
    ['of fourteen characters, decomposed', 'é'.normalize('NFD').repeat(14), 'at least 15 characters'],
    ['of 257 characters', 'x'.repeat(257), 'at most 256 characters'],
    ['with half a character', `\ud83c${'x'.repeat(15)}`, 'well-formed Unicode'],
    ['with the address', 'so ann.example@hospital.example', 'without your e-mail address, or what stands before its @'],
    [
      'with what stands before the @',
      'my Ann.Example 2026',
      'without your e-mail address, or what stands before its @',
    ],
    ['with the name, run together', 'annsample and more', 'without your name'],
    ['with the name in full width', 'Ａｎｎ Ｓａｍｐｌｅ and more', 'without your name'],
    ['with the service’s name', 'I trust CounterSign', 'without the name of the service'],
    ['with the service’s name in two words', 'I trust Counter-Sign', 'without the name of the service'],
    [
      'with the address, in other marks',
      'ann_example at work',
      'without your e-mail address, or what stands before its @',
    ],
    ['with the service’s short name', 'aqta-service-2026!', 'without the name of the service'],
    ['of blanks', ' '.repeat(15), 'with characters other than blanks'],
    ['of characters that show nothing', '\u200b\u2060\u3164'.repeat(6), 'with characters other than blanks'],
    ['of one character', 'x'.repeat(40), REPEATED],
    ['of one character, spaced', 'x '.repeat(15), REPEATED],
    ['of one word again and again', 'marigold marigold marigold', REPEATED],
    ['of one word again and again, cut off', 'marigoldmarigoldmari', REPEATED],
    ['of digits in order', '123456789012345', COMMON],
    ['of letters in order, backwards', 'zyxwvutsrqponml', COMMON],
    ['of rows of keys', 'qwertyuiopasdfghjkl', COMMON],
    ['of columns of keys', '1qaz2wsx3edc4rfv', COMMON],
    ['of columns of keys, upwards', 'zaqxswcdevfrbgt', COMMON],
    ['of columns of keys with digits, upwards', 'Zaq1Xsw2Cde3Vfr4', COMMON],
    ['of keys by turns', 'q1w2e3r4t5y6u7i8', COMMON],
    ['of doubled digits', '1122334455667788', COMMON],
    ['of a repeated end', `password${'1'.repeat(20)}`, COMMON],
    ['of common words', 'dragon monkey sunshine shadow', COMMON],
    ['of common words, written with digits and marks', 'P@ssw0rd!P4ssw0rd?', COMMON],
    ['of common words, in full width', 'ｐａｓｓｗｏｒｄ ｗｅｌｃｏｍｅ １２３', COMMON],
    ['of a common word, digits and a year', 'Summer123456_2026', COMMON],
    ['that is a well-known phrase', 'Correct Horse Battery Staple', COMMON],
    ['that is a well-known phrase with marks', 'to-be-or-not-to-be!', COMMON],
    ['that begins with a well-known phrase', 'to be or not to be!!7', COMMON],
    ['that ends with a well-known phrase', '42-C0rrectHorseBatteryStaple', COMMON],
    ['of a repetition with an end of its own', 'Abcd1234Abcd1234!', COMMON],
    ['of characters again and again with an end of its own', 'xqzxqzxqzxqzxqz7', COMMON],
    ['of a club and a year', 'LiverpoolFC2024!!', COMMON],
    ['of common words about passwords', 'ihatepasswords!!', COMMON],
    ['of common words run together', 'myfavouritepassword', COMMON],
    ['of common words with accents', 'Pässwörd12345678', COMMON],
    ['that is a well-known name', 'ManchesterUnited', COMMON],
  ])('%s', (_, password, rule) => {
    expect(fault(password)).toBe(rule)
  })
})

it('a published password is refused, also in capitals and with a few characters added', () => {
  for (const entry of common.entries) {
    for (const password of [entry, entry.toUpperCase(), `${entry}!7`]) expect(fault(password), password).not.toBeNull()
  }
})

it('the published list is sorted, in lower case and no shorter than a password', () => {
  expect(common.entries).toEqual([...new Set(common.entries.map((entry) => entry.toLowerCase()))].toSorted())
  expect(common.entries.filter((entry) => entry.length < 15)).toEqual([])
})

it('of two or three common words no password is made, whichever they are and however they are joined', () => {
  const word = fc.constantFrom(...COMMON_WORDS)
  fc.assert(
    fc.property(fc.array(word, { minLength: 2, maxLength: 3 }), fc.constantFrom('', ' '), (words, joint) => {
      const password = words.join(joint).padEnd(15, '1')
      expect(fault(password, { email: 'o@a.example', name: 'O' })).not.toBeNull()
    }),
  )
})

it('any text of 256 characters is judged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 15, maxLength: 256 }), (password) => {
      expect(() => fault(password.slice(0, 256))).not.toThrow()
    }),
    { numRuns: 20 },
  )
})

it('wherever the name stands in it, a password is refused, and a refusal repeats nothing', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 10 }), fc.string({ minLength: 10 }), (before, after) => {
      const rule = fault(`${before}Ann Sample${after}`)
      expect(rule).not.toBeNull()
      expect(rule).not.toMatch(/ann/i)
    }),
  )
})
