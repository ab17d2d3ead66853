// Finds what is wrong with one name or text of a waiting-list file: invisible characters, markup, a wrong encoding, or no name.

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u
const MARKUP = /[<>]|&#?\w{1,10};/u
// Latin letters with their marks, and the punctuation of hospitals and specialties.
const LIKE_A_NAME = /^[\p{Script=Latin}\d('][\p{Script=Latin}\p{M}\d '’.,/()&+:–-]*$/u

/** Returns words that follow "has", or null if the name is valid. */
export function nameFault(name: string): string | null {
  const fault = textFault(name)
  if (fault !== null) return fault
  if (!/\p{L}/u.test(name)) return 'no letter in it, as a code or a figure of another column'
  return LIKE_A_NAME.test(name) ? null : 'a character that no name of the publisher has'
}

/** A row of sums, or an empty cell as a spreadsheet or database writes it. */
const NO_NAME = /^(?:(?:grand |sub-?)?totals?|null|nan|n\/a|\(blank\))$/i

/** Checks like `nameFault`, for the hospital and the specialty of a list. */
export function listNameFault(name: string): string | null {
  return nameFault(name) ?? (NO_NAME.test(name) ? 'no name in it: it marks a sum or an empty cell' : null)
}

// The longest known names are "Paediatric Respiratory Medicine" and "Paediatric Infectious Diseases".
const LIKE_A_SPECIALTY = /^[\p{Script=Latin}\p{M}\d \-/,&()']+$/u
/** The readers' answers that are not in the list, whatever separates their words. */
const NO_ENTRY = /^(?:none of these|two problems|not stated)$/i
const MOST_WORDS = 6
const MOST_CHARACTERS = 60

/** Checks like `listNameFault`, for a specialty. SECURITY: the models that read letters see its name. */
export function specialtyNameFault(name: string): string | null {
  const fault = listNameFault(name)
  if (fault !== null) return fault
  if (!LIKE_A_SPECIALTY.test(name)) return "a character other than letters, digits, blanks and -/,&()'"
  if (NO_ENTRY.test(name.replaceAll(/[^\p{L}]+/gu, ' ').trim())) return 'the words of an answer that no specialty has'
  const isSentence =
    name.length > MOST_CHARACTERS || name.split(/[^\p{L}\p{M}\d']+/u).filter(Boolean).length > MOST_WORDS
  return isSentence ? `more than ${MOST_WORDS} words or ${MOST_CHARACTERS} characters, as a sentence has` : null
}

/** Checks like `nameFault`, for text that may have any visible character. */
export function textFault(text: string): string | null {
  if (INVISIBLE.test(text)) return 'an invisible character in it, such as one that turns the text round'
  if (MARKUP.test(text)) return 'markup in it'
  if (isGarbled(text)) return 'letters that were read in a wrong encoding'
  return null
}

/** The characters of the bytes 0x80 to 0x9f in Windows-1252, which appear if UTF-8 is decoded wrongly. */
const HIGH_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const BYTES = new Map(Array.from(HIGH_CONTROLS, (character, index) => [character, 0x80 + index]))

const byteOf = (character: string): number => BYTES.get(character) ?? character.charCodeAt(0)

/**
 * Returns true if some characters, read as bytes, are one character of UTF-8. English and Irish names never have such characters.
 */
function isGarbled(text: string): boolean {
  if (/[ÃÂ\u{fffd}]/u.test(text)) return true
  const bytes = Array.from(text, byteOf)
  return bytes.some((lead, at) => {
    const more = followersOf(lead)
    const followers = bytes.slice(at + 1, at + 1 + more)
    return more > 0 && followers.length === more && followers.every((byte) => byte >= 0x80 && byte <= 0xbf)
  })
}

function followersOf(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 1
  if (lead >= 0xe0 && lead <= 0xef) return 2
  return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0
}
