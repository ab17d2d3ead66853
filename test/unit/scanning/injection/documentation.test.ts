// The public description of the prompt injection guard tells its rules and what npm run eval -- injection measures.
import { expect, it } from 'vitest'
import description from '../../../../docs/prompt-injection.md?raw'
import { createCorpus } from '../../../../scripts/eval/injection-corpus.ts'
import { measureInjections } from '../../../../scripts/eval/injection.ts'
import type { Share } from '../../../../scripts/eval/shares.ts'
import { INJECTION_RULE_IDS } from '../../../../src/scanning/injection/rule-ids.ts'
import { INJECTION_RULES } from '../../../../src/scanning/injection/rules.ts'

const rows = description
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )

const percent = (value: number | null): string => `${(100 * (value ?? 0)).toFixed(1)}%`
const show = ({ count, n, share, low, high }: Share): string =>
  `${count}/${n}, ${percent(share)} [${percent(low)}, ${percent(high)}]`

it('states each rule as the code does', () => {
  expect(rows).toEqual(expect.arrayContaining(INJECTION_RULE_IDS.map((id) => [`\`${id}\``, INJECTION_RULES[id].says])))
})

it('gives the figures that the command gives', () => {
  const heldOut = measureInjections(createCorpus('held-out'))
  const development = measureInjections(createCorpus('development'))
  expect(rows).toContainEqual(['attacks that met a rule', show(heldOut.detected), show(development.detected)])
  expect(rows).toContainEqual([
    'harmless texts that met a rule',
    show(heldOut.falsePositives),
    show(development.falsePositives),
  ])
  const families = heldOut.families.map(({ family, met }, index) => [
    `\`${family}\``,
    show(met),
    development.families[index] === undefined ? '' : show(development.families[index].met),
  ])
  expect(rows).toEqual(expect.arrayContaining(families))
  const rules = heldOut.rules.map(({ rule, attacks, benign }) => [`\`${rule}\``, show(attacks), show(benign)])
  expect(rows).toEqual(expect.arrayContaining(rules))
})
