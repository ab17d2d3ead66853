// Judges the checklist of the compliance report: all controls in order, and their score. It measures this gateway's evidence. The
// score counts what was in force while calls came, so no statement, export or comparison can raise it.
import type { Control, ComplianceReport } from '../report/report.schema.ts'
import { hasFeature } from '../../policies/tier.policy.ts'
import {
  type DrawnSample,
  isStated,
  type ControlDefinition,
  type ControlState,
  type EvidenceValues,
  type Facts,
  type Verdict,
} from './control.ts'
import { DATA_CONTROLS } from './data-controls.ts'
import { HUMAN_CONTROLS, POLICY_CONTROLS } from './policy-controls.ts'
import { KEY_CONTROLS } from './key-controls.ts'
import { LOG_CONTROLS } from './log-controls.ts'
import { MONITORING_CONTROLS, PEOPLE_CONTROLS } from './monitoring-controls.ts'

/** Change this with every change of a control, a weight or a threshold. */
export const CHECKLIST_VERSION = '2026-11-30.2'

/** The checklist reflects the law as it was on this day. */
export const LAW_AS_OF = '2026-11-26'

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
  'ISO/IEC 42001 beyond event logs and the use of models.',
  'NIST AI RMF beyond parts of MEASURE 2 and MANAGE 2 to 4.',
  'Intended purpose, risk file, validation and change control of a medical device (MDR, IEC 62304, ISO 14971): only which model served which call, and since when.',
  'Calls that go to a model by another way than this gateway.',
]

export const judgeControls = (facts: Facts): Control[] =>
  CONTROLS.map((definition) => presentControl(definition, facts))

function presentControl(definition: ControlDefinition, facts: Facts): Control {
  const { id, title, weight, earns, sources, query, wouldPass, link, linkFeature } = definition
  const isOpen = linkFeature === undefined || hasFeature(facts.tier, linkFeature)
  const { state, reason, values, positions, subjects, sample } = judge(definition, facts)
  const statements = facts.statements.filter(({ subject }) => subjects.includes(subject))
  return {
    id,
    title,
    weight,
    earns,
    state,
    reason,
    sources: [...sources],
    evidence: {
      query,
      values: values && { ...values },
      ...(positions.length > 0 && { positions: [...positions] }),
      ...(sample !== null && {
        sample: {
          form: 'sample-1' as const,
          seed: sample.seed,
          first: sample.first,
          tree_size: sample.treeSize,
          calls_from: sample.callsFrom,
        },
      }),
      ...(link !== undefined && isOpen && { link }),
    },
    stated: statements.map(({ subject, lookedAt, statedBy, statedAt }) => ({
      subject,
      looked_at: lookedAt,
      stated_by: statedBy,
      stated_at: new Date(statedAt).toISOString(),
    })),
    checked_at: new Date(facts.now).toISOString(),
    would_pass: wouldPass,
  }
}

type Judged = {
  state: ControlState
  reason: string | null
  values: EvidenceValues | null
  positions: readonly number[]
  subjects: readonly string[]
  sample: DrawnSample | null
}

function judge(definition: ControlDefinition, facts: Facts): Judged {
  const nothing = { values: null, positions: [], subjects: [], sample: null }
  if (definition.weight === 0) {
    const state = isStated(facts, definition.id) ? 'stated' : 'needs_a_person'
    return { ...nothing, state, reason: definition.reason, subjects: [definition.id] }
  }
  const found = definition.measure(facts)
  if ('reason' in found) {
    return { ...nothing, state: 'not_applicable', reason: found.reason, values: found.values ?? null }
  }
  const { values, positions = [], subjects = [], sample = null } = found
  return { state: definition.judge(values), reason: null, values, positions, subjects, sample }
}

/**
 * Judges a control again by the values in its evidence. Null if there is no such control, or the values are not its own.
 * @param values as a report or a score has them
 */
export function judgeAgain(id: string, values: EvidenceValues): Verdict | null {
  const definition = CONTROLS.find((one) => one.id === id)
  if (definition === undefined || definition.weight === 0) return null
  try {
    return definition.judge(values)
  } catch {
    return null
  }
}

export type Score = ComplianceReport['score']

/**
 * A percentage needs at least this many calls. With fewer, a single call is more than one percent, which is the narrowest limit of
 * a control.
 */
export const LEAST_SCORED_CALLS = 100

type Scored = Pick<Control, 'state' | 'weight' | 'earns'>

/**
 * Returns the earned weight that passes, in percent of that weight and of all weight that does not pass, rounded down. A statement
 * changes no number of it: what a person explained still does not pass. Null with too few calls.
 */
export function scoreOf(controls: readonly Scored[], calls: number): Score {
  const inState = (...states: ControlState[]): Scored[] => controls.filter(({ state }) => states.includes(state))
  const passed = weightOf(inState('pass').filter(({ earns }) => earns))
  const applicable = passed + weightOf(inState('fail', 'stated'))
  const hasEnough = calls >= LEAST_SCORED_CALLS && applicable > 0
  return {
    percent: hasEnough ? Math.floor((passed * 100) / applicable) : null,
    reason: hasEnough
      ? null
      : `Nothing to judge yet: ${calls} of the ${LEAST_SCORED_CALLS} calls that a percentage needs.`,
    weight_passed: passed,
    weight_applicable: applicable,
    passed: inState('pass').length,
    failed: inState('fail').length,
    stated: inState('stated').filter(({ weight }) => weight > 0).length,
    coverage: {
      with_data: inState('pass', 'fail', 'stated').filter(({ weight }) => weight > 0).length,
      controls: controls.filter(({ weight }) => weight > 0).length,
    },
    calls,
    calls_needed: LEAST_SCORED_CALLS,
  }
}

const weightOf = (controls: readonly Scored[]): number => controls.reduce((sum, { weight }) => sum + weight, 0)
