// Which passwords are taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import common from '../../../../data/common-passwords.json' with { type: 'json' }
import { passwordFault } from '../../../../src/accounts/sign-in/password-rules.policy.ts'

const ann = { email: 'ann.example@hospital.example', name: 'Ann Sample' }
const fault = (password: string, whose = ann) => passwordFault(password, whose)

const RAIN = '🌧🌨🌩🌪🌫🌬🌭🌮🌯🌰🌱🌲🌳🌴🌵'
const TOO_FEW = 'at least 5 different characters'
const COMMON = 'not a common password'

describe('a password is taken', () => {
  it.each([
    ['of fifteen characters', 'wet grey window'],
    ['of fifteen characters beyond the first plane', RAIN],
    ['of 256 characters beyond the first plane', `${Array.from(RAIN.repeat(18)).slice(0, 255).join('')}☂`],
    ['of words', 'a wet morning in late november'],
    ['with common words among others', 'my password is a marigold'],
    ['that the list has, with words after it', 'to be or not to be a nurse'],
    ['of common words and one that is not', 'welcome password marigold'],
    ['of uncommon words joined', 'kettle-lantern-orbit-2026'],
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
    ['with the service’s name and accents', 'I trust cóunter\u034fsign', 'without the name of the service'],
    ['with the service’s short name', 'aqta-service-2026!', 'without the name of the service'],
    ['of blanks', ' '.repeat(15), TOO_FEW],
    ['of characters that show nothing', '\u200b\u200c\u200d\u2060\u3164\ufeff'.repeat(6), TOO_FEW],
    ['of blanks of many kinds', ' \u2000\u2001\u2002\u2003\u2004'.repeat(3), TOO_FEW],
    ['of four characters', 'abcd'.repeat(10), TOO_FEW],
    ['that the list has', 'correcthorsebatterystaple', COMMON],
    ['that the list has, in words and capitals', 'Correct Horse Battery Staple', COMMON],
    ['that the list has, in full width', 'ｐａｓｓｗｏｒｄ ｐａｓｓｗｏｒｄ', COMMON],
    ['that the list has, with marks and digits after it', 'I-hate-passwords!!7', COMMON],
    ['that the list has with digits', 'Liverpool FC 2024!!', COMMON],
    ['of columns of keys', '1qaz2wsx3edc4rfv', COMMON],
    ['of digits in order', '123456789012345', COMMON],
    ['of a common word and digits', 'Password123456!', COMMON],
    ['of a common word and digits before it', '2026-2026-Password', COMMON],
    ['of a common word twice', 'passwordpassword', COMMON],
    ['of a common word twice and digits', 'welcomewelcome1', COMMON],
    ['of a common word twice and digits, of keys', 'qwertyqwerty123', COMMON],
    ['of common words and marks', 'welcome-password-2026', COMMON],
    ['of common words and digits between', 'Password1Welcome!', COMMON],
    ['of common words with signs and digits in the place of letters', 'P@ssw0rd-W3lcome-2026', COMMON],
    ['of months and weekdays', 'January-Friday-2026', COMMON],
    ['of many common words', 'letmein.nurse.letmein.doctor.7'.repeat(8), COMMON],
    ['of common words that begin alike', 'abcdefabcdefghabc', COMMON],
  ])('%s', (_, password, rule) => {
    expect(fault(password)).toBe(rule)
  })
})

it('every password of the list is refused, also in capitals', () => {
  for (const entry of [...common.entries, ...common.phrases]) {
    for (const password of [entry, entry.toUpperCase()])
      expect(fault(password.padEnd(15, '1')), password).not.toBeNull()
  }
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
