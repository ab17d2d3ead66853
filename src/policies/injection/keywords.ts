// The words with which the phrases of the rules begin and that they are made of, found again where letters are doubled or stand
// in another order.

/** `phrases`: a bit for each set of phrases that has one which begins with the word. */
export type Keyword = { word: string; phrases: number }

/** A word of the letters a to z, as numbers from 0; `letters` has a bit for each letter that occurs in it. */
export type WordShape = { first: number; last: number; letters: number; length: number }

export type Keywords = {
  /** null where the word is none of them. */
  find: (word: WordShape) => Keyword | null
}

const A = 0x61
const ALPHABET = 26

/** Shorter words have too many others of the same letters. */
const LEAST_SCRAMBLED = 6
/** How many letters more or fewer than the keyword's a scrambled word may have. */
const MOST_DOUBLED = 2

/** `others` begin no phrase. */
export function createKeywords(heads: readonly (readonly string[])[], others: readonly string[]): Keywords {
  const byLetters = new Map<number, Keyword[]>()
  const edges = new Uint8Array(ALPHABET * ALPHABET)
  const add = (word: string, phrases: number): void => {
    const { first, last, letters } = shapeOf(word)
    edges[first * ALPHABET + last] = 1
    const key = keyOf(first, last, letters)
    const alike = byLetters.get(key) ?? []
    const known = alike.find((keyword) => keyword.word === word)
    if (known === undefined) byLetters.set(key, [...alike, { word, phrases }])
    else known.phrases |= phrases
  }
  heads.forEach((words, at) => {
    for (const word of words) add(word, 1 << at)
  })
  for (const word of others) add(word, 0)
  return {
    find: ({ first, last, letters, length }) => {
      if (edges[first * ALPHABET + last] === 0) return null
      const alike = byLetters.get(keyOf(first, last, letters))
      if (alike === undefined) return null
      return (
        alike.find(({ word }) => word.length === length) ?? alike.find(({ word }) => isScramble(word, length)) ?? null
      )
    },
  }
}

const isScramble = (word: string, length: number): boolean =>
  word.length >= LEAST_SCRAMBLED && Math.abs(word.length - length) <= MOST_DOUBLED

/** Of a word of the letters a to z. */
export function shapeOf(word: string): WordShape {
  let letters = 0
  for (let index = 0; index < word.length; index += 1) letters |= 1 << (word.charCodeAt(index) - A)
  return { first: word.charCodeAt(0) - A, last: word.charCodeAt(word.length - 1) - A, letters, length: word.length }
}

const keyOf = (first: number, last: number, letters: number): number =>
  (first * ALPHABET + last) * 2 ** ALPHABET + letters
