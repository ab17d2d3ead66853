// Finds prompt injections for prompt_injection_guard. Returns the ids of the rules that match, never a word of the text.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import { createKeywords } from './keywords.ts'
import { prepareText, type PreparedText } from './prepared-text.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from './rule-ids.ts'
import { INJECTION_RULES } from './injection-rules.ts'

/** The phrases of a rule that begin with one word. */
type RulePhrase = { id: InjectionRuleId; pattern: RegExp; onlyInResults: boolean }

const RULE_PHRASES = INJECTION_RULE_IDS.flatMap((id) => {
  const { phrases = [], phrasesInResults = [] } = INJECTION_RULES[id]
  const anywhere = [...phrases].map(([word, pattern]) => ({ word, begun: { id, pattern, onlyInResults: false } }))
  const inResults = [...phrasesInResults].map(([word, pattern]) => ({
    word,
    begun: { id, pattern, onlyInResults: true },
  }))
  return [...anywhere, ...inResults]
})

const KEYWORDS = createKeywords<RulePhrase>(
  RULE_PHRASES.map(({ word, begun: phrase }) => [word, phrase]),
  INJECTION_RULE_IDS.flatMap((id) => INJECTION_RULES[id].words ?? []),
)

/** Returns rule ids in the order of the list of rules, each at most once. */
export const findInjections = (text: string, fromTool: boolean): InjectionRuleId[] =>
  runSteps(findInjectionsInSteps(text, fromTool))

export function* findInjectionsInSteps(text: string, fromTool: boolean): Steps<InjectionRuleId[]> {
  const prepared = yield* prepareText(text, KEYWORDS)
  const found = yield* findPhrases(prepared, fromTool)
  const passage = { prepared, fromTool, hasPhrase }
  for (const id of INJECTION_RULE_IDS) {
    const { holds } = INJECTION_RULES[id]
    if (!found.has(id) && holds !== undefined && (yield* holds(passage))) found.add(id)
  }
  return INJECTION_RULE_IDS.filter((id) => found.has(id))

  function* hasPhrase(hidden: string): Steps<boolean> {
    return (yield* findPhrases(yield* prepareText(hidden, KEYWORDS), fromTool)).size > 0
  }
}

/** The cost of looking for the phrases that begin with one word, and the cost after which a step ends. */
const [PHRASE_COST, STEP_COST] = [32, 1_024]

function* findPhrases({ words, starts }: PreparedText<RulePhrase>, fromTool: boolean): Steps<Set<InjectionRuleId>> {
  const found = new Set<InjectionRuleId>()
  let costSoFar = 0
  for (const { at, begins } of starts) {
    for (const { id, pattern, onlyInResults } of begins) {
      if ((onlyInResults && !fromTool) || found.has(id)) continue
      pattern.lastIndex = at
      if (pattern.test(words)) found.add(id)
    }
    costSoFar += PHRASE_COST * begins.length
    if (costSoFar < STEP_COST) continue
    yield costSoFar
    costSoFar = 0
  }
  return found
}
