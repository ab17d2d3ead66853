// Which rules a text meets. Pure; it tells rules by their ids and never a word of the text.
import { createKeywords } from './keywords.ts'
import { readText, type Reading } from './reading.ts'
import { INJECTION_RULE_IDS, INJECTION_RULES, type InjectionRuleId } from './rules.ts'
import type { Phrases } from './rules/phrases.ts'

type PhraseSet = { id: InjectionRuleId; phrases: Phrases; onlyInResults: boolean }

const PHRASE_SETS: readonly PhraseSet[] = INJECTION_RULE_IDS.flatMap((id) => {
  const { phrases, phrasesInResults } = INJECTION_RULES[id]
  return [
    ...(phrases === undefined ? [] : [{ id, phrases, onlyInResults: false }]),
    ...(phrasesInResults === undefined ? [] : [{ id, phrases: phrasesInResults, onlyInResults: true }]),
  ]
})

const KEYWORDS = createKeywords(
  PHRASE_SETS.map(({ phrases }) => phrases.firstWords),
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

function findPhrases({ words, starts }: Reading, fromTool: boolean): Set<InjectionRuleId> {
  const found = new Set<InjectionRuleId>()
  for (const { at, phrases } of starts) {
    PHRASE_SETS.forEach(({ id, phrases: { pattern }, onlyInResults }, index) => {
      if ((phrases & (1 << index)) === 0 || (onlyInResults && !fromTool) || found.has(id)) return
      pattern.lastIndex = at
      if (pattern.test(words)) found.add(id)
    })
  }
  return found
}
