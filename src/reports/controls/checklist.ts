// Judges the checklist of the compliance report: all controls in order, and their score. It measures this gateway's evidence.
import type { Control, ComplianceReport } from '../report/report.schema.ts'
import type { ControlDefinition, Facts } from './control.ts'
import { DATA_CONTROLS } from './data-controls.ts'
import { HUMAN_CONTROLS, POLICY_CONTROLS } from './policy-controls.ts'
import { KEY_CONTROLS } from './key-controls.ts'
import { LOG_CONTROLS } from './log-controls.ts'
import { MONITORING_CONTROLS, PEOPLE_CONTROLS } from './monitoring-controls.ts'

/** Change this with every change of a control, a weight or a threshold. */
export const CHECKLIST_VERSION = '2026-11'

/** The checklist reflects the law as it was on this day. */
export const LAW_AS_OF = '2026-11-20'

export const CONTROLS: readonly ControlDefinition[] = [
  ...LOG_CONTROLS,
  ...KEY_CONTROLS,
  ...POLICY_CONTROLS,
  ...HUMAN_CONTROLS,
  ...MONITORING_CONTROLS,
  ...DATA_CONTROLS,
  ...PEOPLE_CONTROLS,
]

/** Facts that no checklist of a gateway can show. The report prints them. */
export const CANNOT_SHOW: readonly string[] = [
  'What people asked and what models answered, unless content is kept; and never whether an answer was right.',
  'The organisation’s instructions for use, and whether people follow them (AI Act 13, 26).',
  'Whether the people who approve are competent and trained (AI Act 4, 14, 26).',
  'A plan for monitoring after deployment, and reports of serious incidents (AI Act 72, 73): only the receipts of an incident are here.',
  'The assessments of impact on data protection and on fundamental rights (GDPR 35, AI Act 27).',
  'ISO/IEC 42001 beyond event logs and use (A.6.2.8, A.9, parts of 9.1): clauses 4 to 7, 9.2 and 9.3 are outside.',
  'NIST AI RMF beyond parts of MEASURE 2 and MANAGE 2 to 4.',
  'Intended purpose, risk file, validation and change control of a medical device (MDR, IEC 62304, ISO 14971): only which model served which call, and since when.',
  'Calls that go to a model by another way than this gateway.',
]

export const judgeControls = (facts: Facts): Control[] => CONTROLS.map((control) => judgeControl(control, facts))

function judgeControl(control: ControlDefinition, facts: Facts): Control {
  const { id, title, weight, sources, query, wouldPass, link, judge } = control
  const { state, values, positions, reason = null } = judge(facts)
  return {
    id,
    title,
    weight,
    state,
    reason,
    sources: [...sources],
    evidence: {
      query,
      values: values && { ...values },
      ...(positions !== undefined && { positions }),
      ...(link !== undefined && { link }),
    },
    checked_at: new Date(facts.now).toISOString(),
    would_pass: wouldPass,
  }
}

export type Score = ComplianceReport['score']

/** Returns the weight that passes, in percent of the weight that passes or fails, rounded down. Null if no control applies. */
export function scoreOf(controls: readonly Pick<Control, 'state' | 'weight'>[]): Score {
  const passing = controls.filter(({ state }) => state === 'pass')
  const failing = controls.filter(({ state }) => state === 'fail')
  const [passed, failed] = [weightOf(passing), weightOf(failing)]
  const applicable = passed + failed
  return {
    passed: passing.length,
    applicable: passing.length + failing.length,
    weight_passed: passed,
    weight_applicable: applicable,
    percent: applicable === 0 ? null : Math.floor((passed * 100) / applicable),
  }
}

const weightOf = (controls: readonly Pick<Control, 'weight'>[]): number =>
  controls.reduce((sum, { weight }) => sum + weight, 0)
