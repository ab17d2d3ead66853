// The interface of a rule of the guard, and the phrases that rules share.
import type { Steps } from '../../../platform/steps.ts'
import type { Reading } from '../reading.ts'

/** One text to be judged. */
export type Passage = {
  reading: Reading
  /** It came out of a tool: nobody who may give instructions has written it. */
  fromTool: boolean
  /** True if a text that is hidden in this one has a phrase of a rule. */
  hasPhrase: (hidden: string) => Steps<boolean>
}

export type Rule = {
  /** The rule in a sentence. */
  says: string
  /** It is met where one of these stands. */
  phrases?: Phrases
  /** And, in the results of tools, where one of these does. */
  phrasesInResults?: Phrases
  /** Words within the phrases that are recognised when they are scrambled. */
  words?: readonly string[]
  /** And where this holds. */
  holds?: (passage: Passage) => Steps<boolean>
}

type Phrase = { heads: readonly string[]; rest: string }

/** By the first word, the pattern of the phrases that begin with it. It is tried where that word begins, and ends with a word. */
type Phrases = ReadonlyMap<string, RegExp>

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

/** The words between commas. */
export const listed = (list: string): string[] => list.split(', ')

export const oneOf = (words: readonly string[]): string => `(?:${words.join('|')})`

/** At most so many words of one sentence. Both are bounded, so that no text makes it slow. */
export const gap = (most: number): string => `(?: [a-z0-9]{1,24}){0,${most}}`

/** The same, none of which is one of these. */
export const gapWithout = (most: number, words: readonly string[]): string =>
  `(?: (?!${oneOf(words)} )[a-z0-9]{1,24}){0,${most}}`
