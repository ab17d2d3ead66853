// Recognises the words of the injection rules' phrases, also if an attacker doubles letters or changes their order.

/** `begins`: the phrases that begin with the word. */
export type Keyword<T> = { word: string; letters: number; begins: readonly T[] }

export type Keywords<T> = {
  /**
   * Returns the keyword from `start` to `end`, or null if it is none. The bytes are lower-case ASCII letters.
   * @param letters a bit for each letter that occurs in them
   */
  find: (bytes: Uint8Array, start: number, end: number, letters: number) => Keyword<T> | null
}

const LEAST_LONG_KEYWORD = 6
/** How many more or fewer letters than the keyword a scrambled word may have. */
const MOST_LENGTH_DIFFERENCE = 2

/** The size of the hash table: large enough that few other words have the hash of a keyword. */
const SLOTS = 2 ** 14

/** Builds the lookup of keywords. No phrase begins with one of `others`. */
export function createKeywords<T>(heads: readonly (readonly [string, T])[], others: readonly string[]): Keywords<T> {
  const begins = Map.groupBy(heads, ([word]) => word)
  const keywords = [...new Set([...begins.keys(), ...others])].map((word) => ({
    word,
    letters: lettersOf(word),
    begins: (begins.get(word) ?? []).map(([, rulePhrase]) => rulePhrase),
  }))
  const bySlot = Map.groupBy(keywords, ({ word, letters }) =>
    slotOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), letters),
  )
  const isTaken = new Uint8Array(SLOTS)
  for (const slot of bySlot.keys()) isTaken[slot] = 1
  return {
    find: (bytes, start, end, letters) => {
      const slot = slotOf(bytes[start] ?? 0, bytes[end - 1] ?? 0, letters)
      if (isTaken[slot] === 0) return null
      const alike = bySlot.get(slot) ?? []
      return (
        alike.find(({ word }) => isWord(word, bytes, start, end)) ??
        alike.find((keyword) => keyword.letters === letters && isScramble(keyword.word, bytes, start, end)) ??
        null
      )
    },
  }
}

function isWord(word: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let at = 0; at < word.length; at += 1) if (word.charCodeAt(at) !== bytes[start + at]) return false
  return true
}

/** Allows another length only for long keywords, because many other words have the letters of a short one. */
function isScramble(word: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.charCodeAt(0) !== bytes[start] || word.charCodeAt(word.length - 1) !== bytes[end - 1]) return false
  const more = Math.abs(word.length - (end - start))
  return more === 0 || (word.length >= LEAST_LONG_KEYWORD && more <= MOST_LENGTH_DIFFERENCE)
}

export function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index += 1) letters |= letterBit(word.charCodeAt(index))
  return letters
}

/** Returns the bit of a lower-case letter. */
export const letterBit = (code: number): number => 1 << (code - 0x61)

const slotOf = (first: number, last: number, letters: number): number =>
  Math.imul(letters ^ Math.imul((first << 8) | last, 0x9e37_79b1), 0x85eb_ca6b) >>> 18
