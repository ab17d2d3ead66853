// Counts the work for a hostile letter or prompt, without timing: the length of its copies and the patterns' tries.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { findShapesInSteps } from '../../../../src/scanning/identifiers/find-shapes.ts'
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

/** More than three stretches. */
const PROMPT = 32_768
const TRIES_PER_CHARACTER = 8
/** A step is one finder's search of one stretch with its margins, or the reading of its number words. */
const TRIES_PER_STEP = 45_000

const promptUnits =
  '(01) (01)2 01_ 01) (0 0044_ +353_ O1_ O0l1 (087)_ 087_123_4567_ 0_8_7_ 1_2_ 12/ a@ one_two_three_ two_ one- oh_ double_one_ &#49; %31 \\u0031 １ 4111_ sk- xoxb- eyJ s_k_-_ - < <a_" <b>1</b> <td>1</td> <mrn>1</mrn> <a_title=1> <x_y="1"> {\\rtf1\\b_1 \\\'31 \\.br\\1 =C3=A9 =\n1 =3D" **1**'
    .split(' ')
    .map((unit) => unit.replaceAll('_', ' '))

/** Returns how many patterns the search of a prompt tries, and the most in one step. */
function triesOn(text: string): { all: number; most: number } {
  const tries = vi.spyOn(RegExp.prototype, 'exec')
  const steps = findShapesInSteps(text, () => true)
  let [all, most] = [0, 0]
  for (let isDone = false; !isDone;) {
    isDone = steps.next().done === true
    most = Math.max(most, tries.mock.calls.length - all)
    all = tries.mock.calls.length
  }
  return { all, most }
}

describe('a prompt of one repeated thing', () => {
  it.each(promptUnits)('%j tries few patterns a character, and few in a step', (unit) => {
    const { all, most } = triesOn(unit.repeat(PROMPT / unit.length))
    expect(all).toBeLessThan(TRIES_PER_CHARACTER * PROMPT)
    expect(most).toBeLessThan(TRIES_PER_STEP)
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
