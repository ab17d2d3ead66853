// Decides which rules a change of the policy removes or loosens, so that nobody loses one unseen. A rule is loosened if a request
// may pass that it refused, or if fewer calls are overseen. Pure.
import type { LoopSettings } from '../loops.policy.ts'
import { loosenedBudget, loosenedLoops, loosenedRates } from './chat-limits.policy.ts'
import { loosenedContent } from './content-type-guard.policy.ts'
import { loosenedRegion } from './data-region.policy.ts'
import { loosenedApproval } from './human-approval.policy.ts'
import { loosenedModels } from './model-allowlist.policy.ts'
import { loosenedScan } from './pii-scan.policy.ts'
import type { PolicyDocument } from './policy-document.ts'
import { formatNames, shortenedList, widenedList } from './loosening-words.ts'
import { loosenedInjections } from './prompt-injection-guard.policy.ts'
import { loosenedMedical, loosenedUseCases } from './use-cases-and-cohorts.policy.ts'

type Rules = { [Name in keyof PolicyDocument]-?: NonNullable<PolicyDocument[Name]> }
type RuleName = keyof Rules
/** A document, typed so that TypeScript can relate a rule to its row in the table. */
type Documented = { readonly [Name in RuleName]?: Rules[Name] | undefined }

/** `message`: a sentence with the rule's name, and what is looser. */
export type LoosenedRule = { rule: RuleName; isRemoved: boolean; message: string }

/** Those that a rule of loops replaces, and the budget that holds without a rule. */
type Settings = LoopSettings & { monthlyBudgetMicroeur: number | null }

/** Returns what is looser, such as `day_eur went from 50 to 80`. */
type FindLooser<Rule> = (before: Rule, after: Rule, settings: Settings) => string[]

const LOOSER: { readonly [Name in RuleName]: FindLooser<Rules[Name]> } = {
  model_allowlist: loosenedModels,
  data_region: loosenedRegion,
  content_type_guard: loosenedContent,
  use_case_guard: loosenedUseCases,
  pii_scan: loosenedScan,
  prompt_injection_guard: loosenedInjections,
  loop_guard: loosenedLoops,
  budget_guard: loosenedBudget,
  rate_limit: loosenedRates,
  human_approval: loosenedApproval,
  // A cache refuses nothing, and a stored answer is replayed only to a request that the rules allow.
  cache: () => [],
  medical_use_cases: loosenedMedical,
  high_risk_use_cases: (before, after) => shortenedList('the list', before, after),
  // A label that is not declared is refused.
  bias: (before, after) => widenedList('cohorts', before.cohorts, after.cohorts),
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
const RULE_NAMES = Object.keys(LOOSER) as RuleName[]

export function findLoosenedRules(before: PolicyDocument, after: PolicyDocument, settings: Settings): LoosenedRule[] {
  const applied: Documented = { ...withoutRules(settings), ...before }
  return RULE_NAMES.flatMap((rule): LoosenedRule[] => {
    // Without this list, more calls are medical.
    if (rule !== 'medical_use_cases' && after[rule] === undefined && before[rule] !== undefined) {
      return [{ rule, isRemoved: true, message: `${rule} is no longer in force.` }]
    }
    const looser =
      rule === 'medical_use_cases'
        ? loosenedMedical(before[rule], after[rule])
        : findLooser(rule, applied[rule], after[rule], settings)
    return looser.length === 0 ? [] : [{ rule, isRemoved: false, message: `${rule}: ${formatNames(looser, '; ')}.` }]
  })
}

/** Without rules, loops are looked for, the settings' budget alerts, and no cohort is declared. */
const withoutRules = ({ monthlyBudgetMicroeur: budget }: Settings): Documented => ({
  loop_guard: {},
  ...(budget !== null && { budget_guard: {} }),
  bias: { cohorts: [] },
})

const findLooser = <Name extends RuleName>(
  rule: Name,
  before: Documented[Name],
  after: Documented[Name],
  settings: Settings,
): string[] => (before === undefined || after === undefined ? [] : LOOSER[rule](before, after, settings))
