// What a rule of the guard is.
import type { Steps } from '../../../platform/steps.ts'
import type { Reading } from '../reading.ts'
import type { Phrases } from './phrases.ts'

/** One text to be judged. */
export type Passage = {
  reading: Reading
  /** It came out of a tool: nobody who may give instructions has written it. */
  fromTool: boolean
  /** Whether another text, which this one hides, has a phrase of a rule. */
  hasPhrase: (hidden: string) => Steps<boolean>
}

export type Rule = {
  /** What it finds, in a sentence. */
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
