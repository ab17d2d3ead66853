// Checks a new password: long, any characters, without the person's data or the service's name, and not easy to guess. Pure.
// Source: NIST SP 800-63B-4, so there are no rules of composition and no periodic change.
import { COMMON_PHRASES, COMMON_WORDS, CHARACTER_ROWS } from './weak-passwords.ts'

export const PASSWORD_CHARACTERS = { least: 15, most: 256 } as const

/** Shorter names and parts of addresses are not searched for, because too many words contain them. */
const SHORTEST_SEARCHED = 4

/** `aqta` is what the service's keys and headers begin with. */
const SERVICE_NAMES = ['countersign', 'aqta']

type PasswordOwner = { email: string; name: string }

/** Returns the rule that the password breaks, in words; null if it breaks none. */
export function passwordFault(password: string, { email, name }: PasswordOwner): string | null {
  if (!password.isWellFormed()) return 'well-formed Unicode'
  const { least, most } = PASSWORD_CHARACTERS
  const characters = codePointsIn(password.normalize('NFC'))
  if (characters < least) return `at least ${least} characters`
  if (characters > most) return `at most ${most} characters`
  const text = fold(password)
  const [localPart = ''] = email.split('@')
  if ([email, localPart].some((part) => contains(text, part)))
    return 'without your e-mail address, or what stands before its @'
  if (contains(text, name)) return 'without your name'
  if (SERVICE_NAMES.some((one) => contains(text, one))) return 'without the name of the service'
  return guessableFault(password, least)
}

const contains = (text: string, part: string): boolean => {
  const folded = fold(part)
  return codePointsIn(folded) >= SHORTEST_SEARCHED && text.includes(folded)
}

const codePointsIn = (text: string): number => Array.from(text).length

/** Removes case, compatibility forms, spaces and marks between the letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')

/** The minimum number of parts: a common word, row or year is one part, and so is any other character. */
const LEAST_PARTS = 5
/** The maximum number of characters checked, because compatibility forms may expand to many more than the password has. */
const MOST_READ = 256
const LEAST_IN_ROW = 3
const LONGEST_WORD = Math.max(...Array.from(COMMON_WORDS, ({ length }) => length))

/** Spaces and invisible characters. */
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu
const MARKS = /[^\p{L}\p{N}]/gu
/** Digits and marks that people write for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '8': 'b',
}

/** Common phrases, the longest first because some contain others. */
const PHRASES = Array.from(COMMON_PHRASES).toSorted((a, b) => b.length - a.length)
/** The placeholder for a whole phrase when parts are counted. */
const PHRASE = '\uE000'

const NEIGHBOURS = CHARACTER_ROWS.flatMap((row) => [row, Array.from(row).toReversed().join('')])
const BEGINNINGS: ReadonlySet<string> = new Set(
  NEIGHBOURS.flatMap((row) => Array.from(row, (_, at) => row.slice(at, at + LEAST_IN_ROW))),
)

/**
 * Returns the rule that an easily guessed password breaks, in words; null if it breaks none.
 * @param least the minimum number of characters of a password
 */
export function guessableFault(password: string, least: number): string | null {
  const seen = password.normalize('NFKC').toLowerCase().replaceAll(INVISIBLE, '')
  const text = Array.from(seen).slice(0, MOST_READ).join('')
  if (text === '') return 'with characters other than blanks'
  const once = withoutRepetition(text)
  if (once !== text && Array.from(once).length < least) return 'not the same characters again and again'
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const marks = new Set(plain.match(MARKS)).size
  const parts = Math.min(
    ...[plain, collapsed(plain), inLetters(plain)].map((one) => countParts(withoutPhrases(one))),
    countParts(withoutPhrases(plain.replaceAll(MARKS, ''))) + marks,
  )
  return parts < LEAST_PARTS ? 'not a common phrase, nor a few common words, years or keys in a row' : null
}

/** Returns the shortest text whose repetition gives this one. The last repetition may be partial. */
function withoutRepetition(text: string): string {
  const characters = Array.from(text)
  for (let period = 1; period <= characters.length / 2; period += 1) {
    if (characters.every((one, at) => one === characters[at % period])) return characters.slice(0, period).join('')
  }
  return text
}

/** Replaces a run of one character by that character. */
const collapsed = (text: string): string => text.replaceAll(/(.)\1+/gsu, '$1')

const inLetters = (text: string): string => Array.from(text, (one) => LETTERS[one] ?? one).join('')

const withoutPhrases = (text: string): string => PHRASES.reduce((rest, one) => rest.replaceAll(one, PHRASE), text)

/** Returns the fewest common words, rows, years and other characters that make up the text. A repetition counts once. */
function countParts(text: string): number {
  const characters = Array.from(text)
  const read = characters.map((one) => LETTERS[one] ?? one)
  const fewest: number[] = [0]
  for (let end = 1; end <= characters.length; end += 1) {
    let parts = (fewest[end - 1] ?? 0) + 1
    for (let start = Math.max(0, end - 2 * LONGEST_WORD); start < end; start += 1) {
      const before = fewest[start] ?? 0
      if (before < parts && repeatsPrevious(characters, start, end)) parts = before
      if (before + 1 < parts && isPart(characters.slice(start, end).join(''), read.slice(start, end).join(''))) {
        parts = before + 1
      }
    }
    fewest.push(parts)
  }
  return fewest[characters.length] ?? 0
}

/** Returns true if a stretch repeats the one before it. */
function repeatsPrevious(characters: readonly string[], start: number, end: number): boolean {
  const length = end - start
  return start >= length && characters.slice(start, end).every((one, at) => one === characters[start - length + at])
}

function isPart(written: string, read: string): boolean {
  if (COMMON_WORDS.has(written) || COMMON_WORDS.has(read)) return true
  if (/^(19|20)\d\d$/.test(written)) return true
  if (written.length < LEAST_IN_ROW || !BEGINNINGS.has(written.slice(0, LEAST_IN_ROW))) return false
  return NEIGHBOURS.some((row) => row.includes(written))
}
