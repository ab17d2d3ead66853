// The interface of a prompt injection rule, and helpers that build its phrases.
import type { Steps } from '../../../platform/computation-steps.ts'
import type { PreparedText } from '../prepared-text.ts'

export type Passage = {
  prepared: PreparedText
  /** True if a tool returned it: nobody who may give instructions has written it. */
  fromTool: boolean
}

export type InjectionRule = {
  says: string
  /** The rule is met if the text contains one of these. */
  phrases?: Phrases
  /** The rule is also met if a tool's result contains one of these. */
  phrasesInResults?: Phrases
  /** The rule is also met if this returns true. */
  holds?: (passage: Passage) => Steps<boolean>
}

type Phrase = { heads: readonly string[]; rest: string }

/** Maps a first word to the pattern of the phrases that begin with it. The pattern is tried at that word and ends with a word. */
type Phrases = ReadonlyMap<string, RegExp>

/** Defines phrases that begin with one of `heads`. `rest` is a pattern over words with one blank between them. */
export const phrase = (heads: readonly string[], rest = ''): Phrase => ({ heads, rest })

export function phrases(...all: readonly Phrase[]): Phrases {
  const begun = all.flatMap(({ heads, rest }) =>
    Array.from(Map.groupBy(heads, firstWordOf), ([word, own]) => ({ word, source: oneOf(own) + rest })),
  )
  return new Map(
    Array.from(
      Map.groupBy(begun, ({ word }) => word),
      ([word, own]) => [word, new RegExp(`${oneOf(own.map(({ source }) => source))}(?= )`, 'y')],
    ),
  )
}

const firstWordOf = (head: string): string => head.split(' ', 1)[0] ?? head

export const splitList = (list: string): string[] => list.split(', ')

export const oneOf = (words: readonly string[]): string => `(?:${words.join('|')})`

/** Pattern source for at most so many words of one sentence. Both counts are bounded, so that no text makes it slow. */
export const gap = (most: number): string => `(?: [a-z0-9]{1,24}){0,${most}}`

/** Pattern source for at most so many words, none of which is in `words`. */
export const gapWithout = (most: number, words: readonly string[]): string =>
  `(?: (?!${oneOf(words)} )[a-z0-9]{1,24}){0,${most}}`
