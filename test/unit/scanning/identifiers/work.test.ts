// Counts the guard's work for a hostile letter, without timing: the length of its copies and the pattern's tries.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { matchingCopies } from '../../../../src/scanning/identifiers/normalise/make-matching-copies.ts'

const LETTER = 4000
/** A fraction is the longest: " 1/10". */
const FOLD_MAX = 5
const ATTEMPTS_PER_CODE_POINT = 10

const units = '½ ↉ ⅒ ⒇0 ↉⒇ ㎨ ﷺ ½- 0- 0_ 1_ (0 @ @O B0@ a@a. &#49; 1)0 S½ 087½ 12/ 943_ T12_ \n\u{200b}0 \u{202e}ﷺ'
  .split(' ')
  .map((unit) => unit.replaceAll('_', ' '))

afterEach(() => {
  vi.restoreAllMocks()
})

/** Every search, test and replacement goes through `exec`. */
function attemptsOn(text: string): number {
  const attempts = vi.spyOn(RegExp.prototype, 'exec')
  findIdentifiers(text)
  return attempts.mock.calls.length
}

describe('a letter of one repeated thing', () => {
  it.each(units)('%j tries no pattern more often than a few times a character', (unit) => {
    const text = Array.from(unit.repeat(LETTER)).slice(0, LETTER).join('')
    expect(attemptsOn(text)).toBeLessThan(ATTEMPTS_PER_CODE_POINT * LETTER)
  })
})

it('reads no character as more than a few', () => {
  const long: string[] = []
  for (let codePoint = 0x80; codePoint < 0x30000; codePoint += 1) {
    const character = String.fromCodePoint(codePoint)
    if (character.normalize('NFKD') === character) continue
    const [copy] = matchingCopies(character)
    if ((copy?.text.length ?? 0) > FOLD_MAX) long.push(character)
  }
  expect(long).toEqual([])
})
