// Finds prompt injections for prompt_injection_guard. Returns the ids of the rules that match, never a word of the text.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import { prepareText } from './prepared-text.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from './rule-ids.ts'
import { EMBEDDED_INSTRUCTION } from './rules/embedded-instruction.ts'
import { HIDDEN_TEXT } from './rules/hidden-text.ts'
import { IMAGE_EXFILTRATION } from './rules/image-exfiltration.ts'
import type { InjectionRule } from './rules/injection-rule.ts'
import { INSTRUCTION_OVERRIDE } from './rules/instruction-override.ts'
import { PROMPT_EXFILTRATION } from './rules/prompt-exfiltration.ts'
import { ROLE_FORGERY } from './rules/role-forgery.ts'

export const INJECTION_RULES: Readonly<Record<InjectionRuleId, InjectionRule>> = {
  instruction_override: INSTRUCTION_OVERRIDE,
  role_forgery: ROLE_FORGERY,
  prompt_exfiltration: PROMPT_EXFILTRATION,
  embedded_instruction: EMBEDDED_INSTRUCTION,
  image_exfiltration: IMAGE_EXFILTRATION,
  hidden_text: HIDDEN_TEXT,
}

type RulePhrase = { id: InjectionRuleId; pattern: RegExp; onlyInResults: boolean }

const PHRASES: ReadonlyMap<string, readonly RulePhrase[]> = phrasesByWord()

function phrasesByWord(): Map<string, RulePhrase[]> {
  const byWord = new Map<string, RulePhrase[]>()
  for (const id of INJECTION_RULE_IDS) {
    const { phrases = [], phrasesInResults = [] } = INJECTION_RULES[id]
    for (const [some, onlyInResults] of [
      [phrases, false],
      [phrasesInResults, true],
    ] as const) {
      for (const [word, pattern] of some)
        byWord.set(word, [...(byWord.get(word) ?? []), { id, pattern, onlyInResults }])
    }
  }
  return byWord
}

/** Returns rule ids in the order of the list of rules, each at most once. */
export const findInjections = (text: string, fromTool: boolean): InjectionRuleId[] =>
  runSteps(findInjectionsInSteps(text, fromTool))

export function* findInjectionsInSteps(text: string, fromTool: boolean): Steps<InjectionRuleId[]> {
  const prepared = yield* prepareText(text)
  const found = yield* findPhrases(prepared.words, fromTool)
  for (const id of INJECTION_RULE_IDS) {
    const { holds } = INJECTION_RULES[id]
    if (!found.has(id) && holds !== undefined && (yield* holds({ prepared, fromTool }))) found.add(id)
  }
  return INJECTION_RULE_IDS.filter((id) => found.has(id))
}

/** The cost of a word, of looking for the phrases that begin with it, and the cost after which a step ends. */
const [WORD_COST, PHRASE_COST, STEP_COST] = [2, 32, 1_024]

function* findPhrases(words: string, fromTool: boolean): Steps<Set<InjectionRuleId>> {
  const found = new Set<InjectionRuleId>()
  let cost = 0
  for (let start = 1; start < words.length;) {
    const end = words.indexOf(' ', start)
    const begins = PHRASES.get(words.slice(start, end)) ?? []
    for (const { id, pattern, onlyInResults } of begins) {
      if ((onlyInResults && !fromTool) || found.has(id)) continue
      pattern.lastIndex = start
      if (pattern.test(words)) found.add(id)
    }
    start = end + 1
    cost += WORD_COST + PHRASE_COST * begins.length
    if (cost < STEP_COST) continue
    yield cost
    cost = 0
  }
  return found
}
