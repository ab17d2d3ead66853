// Decides which rules a change of the policy removes or loosens, so that nobody loses one unseen. A rule is loosened if a request
// may pass that it refused, or if fewer calls are overseen. Pure.
import { MEMBER_IDS, ruleOf, type MemberId } from '../rules/index.ts'
import { formatNames } from '../rules/loosening-words.ts'
import type { RuledSettings } from '../rules/rule.ts'
import type { PolicyDocument } from './policy-document.ts'

/** `message`: a sentence with the rule's name, and what is looser. */
export type LoosenedRule = { rule: MemberId; isRemoved: boolean; message: string }

export const findLoosenedRules = (
  before: PolicyDocument,
  after: PolicyDocument,
  settings: RuledSettings,
): LoosenedRule[] =>
  MEMBER_IDS.flatMap((id): LoosenedRule[] => {
    const rule = ruleOf(id)
    const [was, is] = [before[id], after[id]]
    if (is === undefined) {
      const isRemoved = was !== undefined && rule.findLooserIfSet === undefined
      return isRemoved ? [{ rule: id, isRemoved, message: `${id} is no longer in force.` }] : []
    }
    const from = was ?? rule.unset?.(settings)
    const looser = (from === undefined ? rule.findLooserIfSet?.(is) : rule.findLooser?.(from, is, settings)) ?? []
    return looser.length === 0 ? [] : [{ rule: id, isRemoved: false, message: `${id}: ${formatNames(looser, '; ')}.` }]
  })
