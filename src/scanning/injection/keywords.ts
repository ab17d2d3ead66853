// The words with which the phrases of the rules begin and that they are made of, found again where letters are doubled or stand
// in another order.

/** `begins`: what begins with the word. */
export type Keyword<T> = { word: string; letters: number; begins: readonly T[] }

export type Keywords<T> = {
  /**
   * null where the bytes from `start` to `end`, small letters of ASCII, are none of them.
   * @param letters a bit for each letter that occurs in them
   */
  find: (bytes: Uint8Array, start: number, end: number, letters: number) => Keyword<T> | null
}

const LEAST_DOUBLED = 6
/** How many letters more or fewer than the keyword's a scrambled word may have. */
const MOST_DOUBLED = 2

/** So many that few other words fall on a keyword's place. */
const PLACES = 2 ** 14

/** `others` begin nothing. */
export function createKeywords<T>(heads: readonly (readonly [string, T])[], others: readonly string[]): Keywords<T> {
  const begins = Map.groupBy(heads, ([word]) => word)
  const keywords = [...new Set([...begins.keys(), ...others])].map((word) => ({
    word,
    letters: lettersOf(word),
    begins: (begins.get(word) ?? []).map(([, begun]) => begun),
  }))
  const byPlace = Map.groupBy(keywords, ({ word, letters }) =>
    placeOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), letters),
  )
  const isTaken = new Uint8Array(PLACES)
  for (const place of byPlace.keys()) isTaken[place] = 1
  return {
    find: (bytes, start, end, letters) => {
      const place = placeOf(bytes[start] ?? 0, bytes[end - 1] ?? 0, letters)
      if (isTaken[place] === 0) return null
      const alike = byPlace.get(place) ?? []
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

/** Another length only for long keywords: too many other words have the letters of a short one. */
function isScramble(word: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.charCodeAt(0) !== bytes[start] || word.charCodeAt(word.length - 1) !== bytes[end - 1]) return false
  const more = Math.abs(word.length - (end - start))
  return more === 0 || (word.length >= LEAST_DOUBLED && more <= MOST_DOUBLED)
}

export function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index += 1) letters |= letterBit(word.charCodeAt(index))
  return letters
}

/** The bit of a small letter. */
export const letterBit = (code: number): number => 1 << (code - 0x61)

const placeOf = (first: number, last: number, letters: number): number =>
  Math.imul(letters ^ Math.imul((first << 8) | last, 0x9e37_79b1), 0x85eb_ca6b) >>> 18
