// What the rules say of words: sets of phrases, each of which begins with one of a few words, so that a phrase is looked for only
// where such a word stands.

export type Phrase = { heads: readonly string[]; rest: string }

/** By the first word, the pattern of the phrases that begin with it. It is tried where that word begins, and ends with a word. */
export type Phrases = ReadonlyMap<string, RegExp>

/** `heads` are the words it may begin with; `rest` is a pattern over words parted by one blank. */
export const phrase = (heads: readonly string[], rest = ''): Phrase => ({ heads, rest })

export function phrases(...all: readonly Phrase[]): Phrases {
  const firstWords = new Set(all.flatMap(({ heads }) => heads.map(firstWordOf)))
  return new Map([...firstWords].map((word) => [word, patternOf(word, all)]))
}

function patternOf(word: string, all: readonly Phrase[]): RegExp {
  const sources = all.flatMap(({ heads, rest }) => {
    const own = heads.filter((head) => firstWordOf(head) === word)
    return own.length === 0 ? [] : [oneOf(own) + rest]
  })
  return new RegExp(`(?:${sources.join('|')})(?= )`, 'y')
}

const firstWordOf = (head: string): string => head.split(' ', 1)[0] ?? head

/** What stands between commas. */
export const listed = (list: string): string[] => list.split(', ')

export const oneOf = (words: readonly string[]): string => `(?:${words.join('|')})`

/** At most so many words of one sentence. Both are bounded, so that no text makes it slow. */
export const gap = (most: number): string => `(?: [a-z0-9]{1,24}){0,${most}}`

/** The same, none of which is one of these. */
export const gapWithout = (most: number, words: readonly string[]): string =>
  `(?: (?!${oneOf(words)} )[a-z0-9]{1,24}){0,${most}}`
