// What the rules say of words: sets of phrases, each of which begins with one of a few words, so that a phrase is looked for only
// where such a word stands.

export type Phrase = { heads: readonly string[]; source: string }

export type Phrases = { firstWords: readonly string[]; pattern: RegExp }

/** `heads` are the words it may begin with; `rest` is a pattern over words parted by one blank. */
export const phrase = (heads: readonly string[], rest = ''): Phrase => ({ heads, source: oneOf(heads) + rest })

/** The pattern is tried at the beginning of a word and ends at the end of one. */
export function phrases(...all: readonly Phrase[]): Phrases {
  const firstWords = all.flatMap(({ heads }) => heads.map((head) => head.split(' ', 1)[0] ?? head))
  const source = all.map((each) => each.source).join('|')
  return { firstWords: [...new Set(firstWords)], pattern: new RegExp(`(?:${source})(?= )`, 'y') }
}

/** What stands between commas. */
export const listed = (list: string): string[] => list.split(', ')

export const oneOf = (words: readonly string[]): string => `(?:${words.join('|')})`

/** At most so many words of one sentence. Both are bounded, so that no text makes it slow. */
export const gap = (most: number): string => `(?: [a-z0-9]{1,24}){0,${most}}`

/** The same, none of which is one of these. */
export const gapWithout = (most: number, words: readonly string[]): string =>
  `(?: (?!${oneOf(words)} )[a-z0-9]{1,24}){0,${most}}`
