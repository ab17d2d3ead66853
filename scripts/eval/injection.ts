// npm run eval -- injection: measures how many attacks in labelled texts the prompt injection guard finds, and its false alarms.
import { findInjections } from '../../src/scanning/injection/find-injections.ts'
import { INJECTION_RULE_IDS, type InjectionRuleId } from '../../src/scanning/injection/rule-ids.ts'
import { countWordings, createCorpus, type CorpusName, type LabelledText } from './injection-corpus.ts'
import { shareWhere, showShare, type Share } from './shares.ts'

export const INJECTION_HELP = `Usage: npm run eval -- injection [CSV]

Measures how many attacks and how many harmless texts the prompt injection guard reports.

  CSV   columns text and label (attack or 1, benign or 0), and optionally family and role
        (user or tool); default two sets of invented texts

Nothing leaves this machine.

Example:
  npm run eval -- injection

Exit codes: 0 done, 2 not possible.`

export type InjectionMeasures = {
  /** Attacks that matched a rule. */
  detected: Share
  /** Harmless texts that matched a rule. */
  falsePositives: Share
  families: { label: LabelledText['label']; family: string; met: Share }[]
  rules: { rule: InjectionRuleId; attacks: Share; benign: Share }[]
}

export function measureInjections(texts: readonly LabelledText[]): InjectionMeasures {
  const scannedTexts = texts.map(({ text, label, family, role }) => ({
    label,
    family,
    rules: findInjections(text, role === 'tool'),
  }))
  type ScannedText = (typeof scannedTexts)[number]
  const meetsAny = ({ rules }: ScannedText): boolean => rules.length > 0
  const attacks = scannedTexts.filter(({ label }) => label === 'attack')
  const benign = scannedTexts.filter(({ label }) => label === 'benign')
  const families = [
    ...new Map(scannedTexts.map(({ label, family }) => [`${label} ${family}`, { label, family }])).values(),
  ]
  return {
    detected: shareWhere(attacks, meetsAny),
    falsePositives: shareWhere(benign, meetsAny),
    families: families.map(({ label, family }) => {
      const members = scannedTexts.filter((one) => one.label === label && one.family === family)
      return { label, family, met: shareWhere(members, meetsAny) }
    }),
    rules: INJECTION_RULE_IDS.map((rule) => {
      const meets = ({ rules }: ScannedText): boolean => rules.includes(rule)
      return { rule, attacks: shareWhere(attacks, meets), benign: shareWhere(benign, meets) }
    }),
  }
}

const SETS: readonly (readonly [CorpusName, string])[] = [
  ['development', 'The set the rules were written with'],
  ['held-out', 'The set that was held out'],
]

/** Measures the repository's two sets of texts. */
export const reportInventedSets = (): string =>
  SETS.map(([name, title]) => {
    return reportInjections(`${title}, of ${countWordings(name)} wordings`, createCorpus(name))
  }).join('\n\n')

export function reportInjections(name: string, texts: readonly LabelledText[]): string {
  const { detected, falsePositives, families, rules } = measureInjections(texts)
  const rowsOfLabel = (label: LabelledText['label']): string[] =>
    families.filter((one) => one.label === label).map(({ family, met }) => row(`  ${family}`, met))
  return [
    `${name}: ${detected.n} attacks, ${falsePositives.n} harmless texts. Shares with their 95% interval (Wilson).`,
    '',
    row('attacks that met a rule', detected),
    ...rowsOfLabel('attack'),
    '',
    row('harmless texts that met a rule', falsePositives),
    ...rowsOfLabel('benign'),
    '',
    'By rule: of all attacks, and of all harmless texts; a text may meet several.',
    ...rules.flatMap(({ rule, attacks, benign }) => [row(rule, attacks), row('  harmless', benign)]),
  ].join('\n')
}

const row = (name: string, share: Share): string => `  ${name.padEnd(38)}${showShare(share)}`
