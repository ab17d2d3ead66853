// What the guard makes of labelled texts: shares with n and intervals, in all, by family and by rule.
import { findInjections } from '../../../src/scanning/injection/find-injections.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from '../../../src/scanning/injection/rules.ts'
import { shareOf, type Share } from '../measures.ts'
import type { LabelledText } from './corpus.ts'

export type InjectionMeasures = {
  /** Of the attacks, how many met a rule. */
  detected: Share
  /** Of the harmless texts, how many did. */
  falsePositives: Share
  families: { label: LabelledText['label']; family: string; met: Share }[]
  rules: { rule: InjectionRuleId; attacks: Share; benign: Share }[]
}

export function measureInjections(texts: readonly LabelledText[]): InjectionMeasures {
  const judged = texts.map(({ text, label, family, role }) => ({
    label,
    family,
    rules: findInjections(text, role === 'tool'),
  }))
  const attacks = judged.filter(({ label }) => label === 'attack')
  const benign = judged.filter(({ label }) => label === 'benign')
  const shareMet = (some: typeof judged): Share =>
    shareOf(some.filter(({ rules }) => rules.length > 0).length, some.length)
  const shareOfRule = (some: typeof judged, rule: InjectionRuleId): Share =>
    shareOf(some.filter(({ rules }) => rules.includes(rule)).length, some.length)
  const families = [...new Map(judged.map(({ label, family }) => [`${label} ${family}`, { label, family }])).values()]
  return {
    detected: shareMet(attacks),
    falsePositives: shareMet(benign),
    families: families.map(({ label, family }) => ({
      label,
      family,
      met: shareMet(judged.filter((one) => one.label === label && one.family === family)),
    })),
    rules: INJECTION_RULE_IDS.map((rule) => ({
      rule,
      attacks: shareOfRule(attacks, rule),
      benign: shareOfRule(benign, rule),
    })),
  }
}
