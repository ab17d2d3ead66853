// Checks a new password: long, any characters, without the person's data or the service's name, and not a common one. Pure.
// There are no rules of composition and no periodic change, as NIST SP 800-63B-4 asks: https://pages.nist.gov/800-63-4/sp800-63b.html
import common from '../../../data/common-passwords.json' with { type: 'json' }

export const PASSWORD_CHARACTERS = { least: 15, most: 256 } as const

/** The least number of different visible characters. Fewer are a few keys again and again. */
const LEAST_DIFFERENT = 5
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u

/** Shorter names and parts of addresses are not searched for, because too many words contain them. */
const SHORTEST_SEARCHED = 4

/** `aqta` is what the service's keys and headers begin with. */
const SERVICE_NAMES = ['countersign', 'aqta']

/** The rule that people cannot meet by changing a character. */
export const NOT_COMMON = 'not a common password'

type PasswordOwner = { email: string; name: string }

/** Returns the rule that the password breaks, in words; null if it breaks none. */
export function passwordFault(password: string, { email, name }: PasswordOwner): string | null {
  if (!password.isWellFormed()) return 'well-formed Unicode'
  const { least, most } = PASSWORD_CHARACTERS
  const characters = Array.from(password.normalize('NFC'))
  if (characters.length < least) return `at least ${least} characters`
  if (characters.length > most) return `at most ${most} characters`
  if (new Set(characters.filter((one) => !INVISIBLE.test(one))).size < LEAST_DIFFERENT)
    return `at least ${LEAST_DIFFERENT} different characters`
  const text = fold(password)
  const [localPart = ''] = email.split('@')
  if ([email, localPart].some((part) => contains(text, part)))
    return 'without your e-mail address, or what stands before its @'
  if (contains(text, name)) return 'without your name'
  if (SERVICE_NAMES.some((one) => contains(text, one))) return 'without the name of the service'
  return isCommonWords(text) || isCommonWords(fold(withLetters(password))) ? NOT_COMMON : null
}

const contains = (text: string, part: string): boolean => {
  const folded = fold(part)
  return Array.from(folded).length >= SHORTEST_SEARCHED && text.includes(folded)
}

/** Removes case, compatibility forms, accents, and spaces and marks between the letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Signs and digits that stand for letters; a digit only within a word. */
const SIGNS: Readonly<Record<string, string>> = { '@': 'a', $: 's' }
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

const withLetters = (text: string): string =>
  text
    .replaceAll(/[@$]/g, (sign) => SIGNS[sign] ?? sign)
    .replaceAll(/(?<=\p{L})[013457](?=\p{L})/gu, (digit) => DIGITS[digit] ?? digit)

const COMMON: ReadonlySet<string> = new Set([...common.entries, ...common.phrases].map(fold))
const COMMON_LENGTHS: ReadonlySet<number> = new Set(Array.from(COMMON, (one) => one.length))

/**
 * Returns true if the folded text is common passwords joined, with digits before, between or after them. Its time is bounded: it
 * looks up each length once at each place.
 */
function isCommonWords(text: string): boolean {
  // For each place that such a beginning reaches: whether it has a common password.
  const reached = new Map([[0, false]])
  for (let at = 0; at < text.length; at += 1) {
    const hasCommon = reached.get(at)
    if (hasCommon === undefined) continue
    const [digits = ''] = /^\p{N}/u.exec(text.slice(at, at + 2)) ?? []
    if (digits !== '') reached.set(at + digits.length, hasCommon || reached.get(at + digits.length) === true)
    for (const length of COMMON_LENGTHS) if (COMMON.has(text.slice(at, at + length))) reached.set(at + length, true)
  }
  return reached.get(text.length) === true
}
