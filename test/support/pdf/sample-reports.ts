// Invented reports to draw: of a year, of an organisation without a call, and of one with long and foreign names.
import { membersOf, NO_ENDINGS, NOT_PASSED } from '../../../src/evidence/records/call-endings.ts'
import {
  CANNOT_SHOW,
  CHECKLIST_VERSION,
  CONTROLS,
  LAW_AS_OF,
  scoreOf,
} from '../../../src/reports/controls/checklist.ts'
import { decisionsOf, risksOf } from '../../../src/reports/report/decisions.ts'
import { trendOf } from '../../../src/reports/report/trend.ts'
import { LAW } from '../../../src/reports/report/law.ts'
import type { ControlState } from '../../../src/reports/controls/control.ts'
import type { ComplianceReport, Control } from '../../../src/reports/report/report.schema.ts'
import { seededRandom } from '../../../scripts/seeded-random.ts'

const DAY_MS = 86_400_000
const CREATED_AT = '2026-11-21T09:30:00.000Z'
const ORGANISATION_ID = 'org_0199a3f2-5b10-7c44-9d21-3f6e8a7b5c01'
const PERSON_ID = 'usr_0199a3f2-6d11-7a02-8b8e-0f4c2d9e6a13'

const FORMER_PERSON_ID = 'usr_0199a3f2-6d11-7a02-8b8e-0f4c2d9e6a14'
const KEY_ID = 'key_0199a3f2-7e21-7b03-9c9f-1a5d3eaf7b24'
const ENDED_KEY_ID = 'key_0199a3f2-7e21-7b03-9c9f-1a5d3eaf7b25'
const APPROVAL_ID = 'apr_0199a3f2-8f31-7c04-8dab-2b6e4fb08c35'

const PUBLIC_KEY = 'mR3v1Yx0Qk7cT9bWfL2sHdUeJ5aZgN8oPiKtVwXyEqA'

type Day = ComplianceReport['usage']['by_day'][number] & { stopped: number }
type Counts = Omit<Day, 'date'>
type Parity = ComplianceReport['bias'][number]

const COUNTS = ['requests', ...NOT_PASSED] as const
const NO_CALLS: Counts = { requests: 0, held: 0, blocked: 0, suppressed: 0, failed: 0, stopped: 0, cost_eur: 0 }

const daysBefore = (end: string, days: number): string =>
  new Date(Date.parse(end) - days * DAY_MS).toISOString().slice(0, 10)

/** Fewer at weekends, more as time goes by. */
function callsOf(start: string, days: number): Day[] {
  const random = seededRandom(14)
  return Array.from({ length: days }, (_, index) => {
    const date = daysBefore(start, -index)
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay())
    const requests = Math.round((isWeekend ? 9 : 70) * (0.7 + random() * 0.6) * (1 + index / 500))
    const held = Math.round(requests * random() * 0.01)
    const blocked = Math.round(requests * random() * 0.05)
    const suppressed = random() < 0.06 ? Math.round(random() * 9) : 0
    const failed = Math.round(requests * random() * 0.02)
    const stopped = index % 9 === 0 ? 1 : 0
    const passed = requests - held - blocked - suppressed
    return {
      date,
      requests,
      held,
      blocked,
      suppressed,
      failed,
      stopped,
      cost_eur: Math.round(passed * (5 + random() * 4) * 1000) / 1e6,
    }
  })
}

/** Shares a whole out: later names get less, and the last gets the rest. */
function shareOut<Name>(whole: Counts, names: readonly Name[]): (Counts & { name: Name })[] {
  const left = { ...whole }
  return names.map((name, index) => {
    const part = index === names.length - 1 ? 1 : 1.3 / (names.length - index + 0.3)
    const take = (member: keyof Counts, unit: number): number => {
      const taken = Math.floor(left[member] * part * unit + 1e-6) / unit
      left[member] = Math.round((left[member] - taken) * unit) / unit
      return taken
    }
    return { name, ...membersOf(COUNTS, (member) => take(member, 1)), cost_eur: take('cost_eur', 1e6) }
  })
}

function usageOf(days: Day[], names: { models: string[]; useCases: (string | null)[] }): ComplianceReport['usage'] {
  const sum = (member: keyof Counts): number => days.reduce((total, one) => total + one[member], 0)
  const whole: Counts = {
    ...membersOf(COUNTS, sum),
    cost_eur: Math.round(sum('cost_eur') * 1e6) / 1e6,
  }
  const passed = whole.requests - whole.held - whole.blocked - whole.suppressed - whole.failed - whole.stopped
  const [cancelled, interrupted, cached] = [0.011, 0.002, 0.07].map((part) => Math.round(passed * part))
  return {
    totals: {
      requests: whole.requests,
      ...NO_ENDINGS,
      completed: passed - (cancelled ?? 0) - (interrupted ?? 0) - (cached ?? 0),
      failed: whole.failed,
      withheld: whole.stopped,
      cancelled: cancelled ?? 0,
      interrupted: interrupted ?? 0,
      cached: cached ?? 0,
      held: whole.held,
      expired: whole.held,
      blocked: whole.blocked,
      suppressed: whole.suppressed,
      in_flight: 0,
      refused: Math.round(passed * 0.004),
      input_tokens: passed * 812,
      output_tokens: passed * 264,
      cost_eur: whole.cost_eur,
      cost_prevented_eur: Math.round(whole.blocked * 6500) / 1e6,
      cost_estimated_requests: Math.round(passed * 0.012),
    },
    by_day: days,
    by_model: shareOut(whole, names.models),
    by_use_case: shareOut(whole, names.useCases),
  }
}

const VALUES: Record<string, Control['evidence']['values']> = {
  L1: { from: '2026-11-14', to: '2026-11-20', receipts: 512, counted: 511, in_flight: 0, further_receipts: 1 },
  L2: { entries_read: 200, differing: 0, tree_size: 48_211, root_matches: true },
  L4: { latest: '2026-11-02T10:11:12.000Z', act: 'compliance.audit_export', days_ago: 18 },
  L5: { retention_days: 365, needed_days: 185, tier: 'healthcare' },
  L7: { passed: 21_455, interrupted: 43, percent: 0.2 },
  K1: {
    current_key: PUBLIC_KEY,
    current_key_in_force: true,
    made_for_development: false,
    keys_of_sample: 1,
    keys_outside_their_time: [],
  },
  K2: { keys: 4, endless: 2, idle: 1, ids: [KEY_ID, ENDED_KEY_ID] },
  P1: { policy_version: 4, made_by: PERSON_ID, rules: ['pii_scan'], limiting_rules: ['pii_scan'] },
  H2: { decisions: 53, own_approved: 1, ids: [APPROVAL_ID] },
  M1: {
    tier: 'healthcare',
    in_tier: true,
    days_ago: 3,
    found: 2,
    unexplained: 0,
    without_statement: [`anomaly:failed_rate:key:${KEY_ID}:2026-10-03T05:00:00Z`],
  },
  M2: { found: 1, unexplained: 1, without_statement: ['disparity:cohort:blocked:lang-pl'] },
  M3: { marked: 1, without_receipt: [`incident:tr_${'0f'.repeat(16)}`] },
  P2: { allowed: ['gpt-4.1-mini', 'claude-haiku-4.5', 'gemini-3.6-flash', 'mistral-small-4'] },
  P3: { requests: 22_310, with_use_case: 20_012, percent: 89.7 },
  D1: { jurisdiction: 'eu', data_region: 'any', routed_eu: 800, routed_eea_ch: 0, routed_elsewhere: 12 },
}

const STATES: Record<string, ControlState> = {
  K2: 'fail',
  P3: 'fail',
  D1: 'fail',
  D3: 'not_applicable',
  M1: 'stated',
  M3: 'not_applicable',
  L3: 'not_applicable',
}

/** The verdicts of the earlier report that differ. */
const BEFORE: Record<string, ControlState> = { D1: 'pass', P2: 'fail', P5: 'fail' }

const controlsOf = (stateOf: (id: string) => ControlState): Control[] =>
  CONTROLS.map(({ id, title, weight, earns, sources, query, wouldPass, link }) => {
    const state = id.startsWith('X') ? 'needs_a_person' : stateOf(id)
    return {
      id,
      title,
      weight,
      earns,
      state,
      reason:
        state === 'not_applicable'
          ? 'There is nothing of the kind in the period.'
          : state === 'needs_a_person'
            ? 'Only a person can say.'
            : null,
      sources: [...sources],
      evidence: {
        query,
        values:
          state === 'needs_a_person' ? null : (VALUES[id] ?? { looked_at: 120, at_fault: state === 'fail' ? 3 : 0 }),
        ...(id === 'K2' && { positions: Array.from({ length: 30 }, (_, index) => 1200 + index * 37) }),
        ...(link !== undefined && { link }),
      },
      stated: [],
      checked_at: CREATED_AT,
      would_pass: wouldPass,
    }
  })

const PARITY: Parity = {
  by: 'cohort',
  outcome: 'answered',
  method: 'parity-2',
  groups: [
    { group: 'cohort-a', n: 8120, k: 7951, rate: 0.9792, interval: [0.9759, 0.9821], dispersion: 1.31 },
    { group: 'cohort-b', n: 1016, k: 951, rate: 0.936, interval: [0.9194, 0.9494], dispersion: 1 },
    { group: 'cohort-c', n: null, k: null, rate: null, interval: null, dispersion: null },
  ],
  comparisons: [
    {
      group: 'cohort-b',
      reference: 'cohort-a',
      difference: -0.0432,
      difference_interval: [-0.0598, -0.029],
      ratio: 0.9559,
      ratio_interval: [0.94, 0.972],
      unfavourable_ratio: 3.07,
      unfavourable_ratio_interval: [2.33, 4.05],
      p: 3.1e-12,
      p_adjusted: 6.2e-12,
      adjusted: {
        by: ['use_case', 'model'],
        strata: 4,
        ratio: 0.957,
        ratio_interval: [0.941, 0.974],
        unfavourable_ratio: 2.98,
        unfavourable_ratio_interval: [2.25, 3.95],
        p: 4.2e-11,
        p_adjusted: 4.2e-11,
        verdict: 'disparity',
      },
      not_adjusted: null,
      verdict: 'disparity',
      explained_by: [],
    },
    {
      group: 'cohort-c',
      reference: 'cohort-a',
      difference: null,
      difference_interval: null,
      ratio: null,
      ratio_interval: null,
      unfavourable_ratio: null,
      unfavourable_ratio_interval: null,
      p: null,
      p_adjusted: null,
      adjusted: null,
      not_adjusted: 'too_few_calls',
      verdict: 'not_enough_data',
      explained_by: [],
    },
  ],
  cannot_show: [
    'This compares how calls were served, not what the answers said.',
    'A difference is a reason to look, not a finding of discrimination; no difference is not proof of fairness.',
  ],
  parity: { difference: 0.0432, ratio: 0.9559, verdict: 'disparity' },
}

/** A report of 365 days of a clinic's calls. */
export function sampleReport(changes: Partial<ComplianceReport> = {}): ComplianceReport {
  const [end, days] = ['2026-11-20', 365]
  const start = daysBefore(end, days - 1)
  const controls = changes.controls ?? controlsOf((id) => STATES[id] ?? 'pass')
  return {
    object: 'compliance_report',
    id: 'rep_0199a400-0d3c-7e51-a1d2-5c7b9e0f4a62',
    report: 'report-1',
    organisation: { id: ORGANISATION_ID, name: 'Ospidéal Samplach' },
    start,
    end,
    created_at: CREATED_AT,
    law_as_of: LAW_AS_OF,
    law: LAW,
    checklist: CHECKLIST_VERSION,
    score: scoreOf(controls, changes.score?.calls ?? 22_310),
    decisions: decisionsOf(controls, CREATED_AT),
    trend: trendOf(
      { checklist: CHECKLIST_VERSION, score: scoreOf(controls, changes.score?.calls ?? 22_310), controls },
      {
        id: 'rep_0199a400-0d3c-7e51-a1d2-5c7b9e0f4a61',
        created_at: '2026-10-21T09:30:00.000Z',
        start: '2025-10-21',
        end: '2026-10-20',
        checklist: CHECKLIST_VERSION,
        score: { percent: 52 },
        controls: controls.map(({ id, state }) => ({ id, state: BEFORE[id] ?? state })),
      },
    ),
    risks: risksOf(controls),
    controls,
    statements: [
      {
        subject: `anomaly:failed_rate:key:${KEY_ID}:2026-10-03T05:00:00Z`,
        text: 'The provider had an outage.',
        looked_at: 'The status page of the provider.',
        cause: 'provider',
        date: null,
        stated_by: FORMER_PERSON_ID,
        stated_at: '2026-10-04T07:00:00.000Z',
      },
      {
        subject: 'X2',
        text: 'The data protection impact assessment of the letter assistant was approved by the data protection officer and is filed as DPIA-2026-07.',
        looked_at: 'The signed assessment.',
        cause: null,
        date: '2026-07-14',
        stated_by: PERSON_ID,
        stated_at: '2026-07-15T08:02:00.000Z',
      },
    ],
    cannot_show: [...CANNOT_SHOW],
    usage: usageOf(callsOf(start, days), {
      models: ['gpt-4.1-mini', 'claude-haiku-4.5', 'mistral-small-4'],
      useCases: ['referral-letters', 'discharge-summaries', null],
    }),
    bias: [PARITY],
    anomalies: [
      {
        kind: 'failed_rate',
        series: `key:${KEY_ID}`,
        since: '2026-10-03T05:00:00Z',
        value: 0.061,
        baseline: 0.009,
        statistic: 17.4,
        threshold: 13.683,
        change: 2,
      },
    ],
    approvals: { asked: 61, approved: 44, denied: 9, expired: 5, withdrawn: 1, executed: 42, pending: 2 },
    retention: {
      tier: 'healthcare',
      details_days: 365,
      content_logging: true,
      content_days: 30,
      jurisdiction: 'eu',
      erasures: { asked: 2, done: 2, overdue: 0 },
    },
    tree_head: {
      v: 1,
      org_id: ORGANISATION_ID,
      tree_size: 48_211,
      root_hash: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      timestamp: CREATED_AT,
      signature: `${PUBLIC_KEY}${PUBLIC_KEY}`,
      public_key: PUBLIC_KEY,
      key_id: 'aqta-att-0123456789abcdef',
      algorithm: 'Ed25519',
    },
    public_keys: [
      {
        public_key: PUBLIC_KEY,
        key_id: 'aqta-att-0123456789abcdef',
        algorithm: 'Ed25519',
        format: 'base64url-raw',
        status: 'active',
        valid_from: '2026-01-01T00:00:00.000Z',
        valid_until: null,
      },
    ],
    names: [
      { id: KEY_ID, name: 'old batch key' },
      { id: PERSON_ID, name: 'owner' },
    ],
    service_origin: 'https://countersign.example',
    demo: false,
    ...changes,
  }
}

/** A report of an organisation that was made today. */
export function emptyReport(): ComplianceReport {
  const controls = controlsOf((id) => (['P1', 'L4'].includes(id) ? 'fail' : 'not_applicable'))
  const days = Array.from({ length: 30 }, (_, index) => ({ date: daysBefore('2026-11-20', 29 - index), ...NO_CALLS }))
  return sampleReport({
    organisation: { id: ORGANISATION_ID, name: 'New' },
    start: '2026-10-22',
    controls,
    score: scoreOf(controls, 0),
    trend: null,
    statements: [],
    usage: usageOf(days, { models: [], useCases: [] }),
    bias: [],
    anomalies: [],
    approvals: { asked: 0, approved: 0, denied: 0, expired: 0, withdrawn: 0, executed: 0, pending: 0 },
    tree_head: { ...sampleReport().tree_head, tree_size: 0 },
  })
}

/** Long names, many rows, names in the Union's three scripts and in one that no face has, and all of it invented. */
export function crowdedReport(): ComplianceReport {
  const sample = sampleReport()
  const start = '2026-09-01'
  const long = 'a-use-case-whose-name-was-made-of-everything-that-somebody-could-think-of/and-then-some_more.v2'
  return sampleReport({
    organisation: {
      id: ORGANISATION_ID,
      name: 'Comhlachas Ospidéal Uí Ḋoṁnaill agus Mhic Ṡuiḃne · Γενικό Νοσοκομείο · Болница „Св. Георги“ · 東京 病院, Limited by Guarantee',
    },
    start,
    usage: usageOf(callsOf(start, 81), {
      models: Array.from({ length: 300 }, (_, index) => `provider/model-${index}-of-many`),
      useCases: [long, 'Ḃeaṫa ċaiṫeaṁ', 'Εξιτήρια', 'Епикризи', '退院', null],
    }),
    bias: [
      { ...PARITY, by: 'use_case', outcome: 'refused', groups: PARITY.groups.map((one) => ({ ...one, group: long })) },
      PARITY,
    ],
    statements: [
      ...sample.statements,
      {
        subject: 'X4',
        text: 'The risk file of the product is kept by the manufacturer. '.repeat(70),
        looked_at: 'The risk file, version 7.',
        cause: 'provider',
        date: null,
        stated_by: PERSON_ID,
        stated_at: CREATED_AT,
      },
    ],
    demo: true,
  })
}

export const SAMPLE_REPORTS: Readonly<Record<string, () => ComplianceReport>> = {
  year: () => sampleReport(),
  empty: emptyReport,
  crowded: crowdedReport,
}
