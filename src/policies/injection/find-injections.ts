// Which rules a text meets. Pure; it tells rules by their ids and never a word of the text.
import { createKeywords } from './keywords.ts'
import { readText, type Reading } from './reading.ts'
import { INJECTION_RULE_IDS, INJECTION_RULES, type InjectionRuleId } from './rules.ts'

/** Phrases of a rule that begin with one word. */
type Begun = { id: InjectionRuleId; pattern: RegExp; onlyInResults: boolean }

const BEGUN = INJECTION_RULE_IDS.flatMap((id) => {
  const { phrases = [], phrasesInResults = [] } = INJECTION_RULES[id]
  const anywhere = [...phrases].map(([word, pattern]) => ({ word, begun: { id, pattern, onlyInResults: false } }))
  const inResults = [...phrasesInResults].map(([word, pattern]) => ({
    word,
    begun: { id, pattern, onlyInResults: true },
  }))
  return [...anywhere, ...inResults]
})

const KEYWORDS = createKeywords<Begun>(
  BEGUN.map(({ word, begun }) => [word, begun]),
  INJECTION_RULE_IDS.flatMap((id) => INJECTION_RULES[id].words ?? []),
)

/** In the order of the list of rules, each at most once. */
export function findInjections(text: string, fromTool: boolean): InjectionRuleId[] {
  const reading = readText(text, KEYWORDS)
  const found = findPhrases(reading, fromTool)
  const hasPhrase = (hidden: string): boolean => findPhrases(readText(hidden, KEYWORDS), fromTool).size > 0
  const passage = { reading, fromTool, hasPhrase }
  return INJECTION_RULE_IDS.filter((id) => found.has(id) || INJECTION_RULES[id].holds?.(passage) === true)
}

function findPhrases({ words, starts }: Reading<Begun>, fromTool: boolean): Set<InjectionRuleId> {
  const found = new Set<InjectionRuleId>()
  for (const { at, begins } of starts) {
    for (const { id, pattern, onlyInResults } of begins) {
      if ((onlyInResults && !fromTool) || found.has(id)) continue
      pattern.lastIndex = at
      if (pattern.test(words)) found.add(id)
    }
  }
  return found
}
