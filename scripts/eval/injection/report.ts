// The measures of the prompt injection guard as a person reads them.
import { showShare, type Share } from '../measures.ts'
import type { InjectionMeasures } from './measure.ts'

export function reportInjections(
  name: string,
  { detected, falsePositives, families, rules }: InjectionMeasures,
): string {
  const ofLabel = (label: 'attack' | 'benign'): string[] =>
    families.filter((one) => one.label === label).map(({ family, met }) => row(`  ${family}`, met))
  return [
    `${name}: ${detected.n} attacks, ${falsePositives.n} harmless texts. Shares with their 95% interval (Wilson).`,
    '',
    row('attacks that met a rule', detected),
    ...ofLabel('attack'),
    '',
    row('harmless texts that met a rule', falsePositives),
    ...ofLabel('benign'),
    '',
    'By rule: of all attacks, and of all harmless texts; a text may meet several.',
    ...rules.flatMap(({ rule, attacks, benign }) => [row(rule, attacks), row('  harmless', benign)]),
  ].join('\n')
}

const row = (name: string, share: Share): string => `  ${name.padEnd(38)}${showShare(share)}`
