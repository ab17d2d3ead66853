// Facts of an organisation in which every control that is scored passes: a test changes what it is about.
import type { Facts, SeenCall } from '../../../../src/reports/controls/control.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)
const SIGNING_KEY = 'A'.repeat(43)
export const PERSON = 'usr_01982f6b-7c50-7a31-8d14-6b2c5e0f9a77'

/** The version of the policy under which the calls came. */
export const VERSION = 3

export const seenCall = (change: Partial<SeenCall> = {}): SeenCall => ({
  provider: 'openai',
  kinds: ['text'],
  useCase: 'triage-notes',
  policyVersion: VERSION,
  retentionDays: 365,
  isAllowed: true,
  isApproved: true,
  ...change,
})

/** A policy that was in force while all calls came. */
export const policyInForce = (
  document: Facts['policy']['document'],
  { version = VERSION, madeBy = PERSON }: { version?: number; madeBy?: string | null } = {},
): Facts['policy'] => ({
  version,
  madeBy,
  document,
  modelsOffered: 9,
  history: [{ version: VERSION, document, madeBy }],
})

export const soundFacts = (change: Partial<Facts> = {}): Facts => ({
  now: NOW,
  tier: 'healthcare',
  start: '2026-10-22',
  end: '2026-11-20',
  calls: {
    requests: 100,
    passed: 98,
    completed: 97,
    interrupted: 0,
    estimated: 1,
    withUseCase: 100,
    useCases: [{ name: 'triage-notes', requests: 100 }],
    models: ['gpt-4.1-mini'],
    costMicroeur: 20_000_000,
    routed: { eu: 90, eea_ch: 0, any: 0 },
  },
  recorded: { from: '2026-11-14', to: '2026-11-20', receipts: 40, counted: 38, inFlight: 1, further: 1 },
  sample: {
    draw: { seed: '0'.repeat(64), first: 0, treeSize: 400, callsFrom: 200 },
    read: 200,
    differing: [],
    missing: [],
    calls: Array.from({ length: 100 }, (_, at) => seenCall(at < 10 ? { kinds: ['text', 'tools'] } : {})),
    signedBy: [{ publicKey: SIGNING_KEY, first: NOW - 20 * DAY_MS, last: NOW }],
  },
  tree: { size: 400, rootMatches: true },
  publication: { lastReceipt: 398, waiting: null },
  lastPolicyChange: { act: 'policy.put', at: NOW - DAY_MS, position: 379 },
  lastExport: { act: 'settings.export', at: NOW - DAY_MS, position: 390 },
  signing: {
    current: SIGNING_KEY,
    isThrowAway: false,
    history: [{ publicKey: SIGNING_KEY, status: 'active', validFrom: NOW - 100 * DAY_MS, validUntil: null }],
  },
  apiKeys: [
    { id: 'key_1', scopes: ['chat'], createdAt: NOW - 300 * DAY_MS, expiresAt: NOW + 65 * DAY_MS, lastUsedAt: NOW },
  ],
  evaluationDays: 0,
  budgetDays: { withCalls: 20, shutOut: 1 },
  members: [
    { id: 'usr_1', factor: 'passkey' },
    { id: 'usr_2', factor: 'totp' },
  ],
  requirement: { secondFactor: 'any', secondFactorFrom: new Date(NOW).toISOString() },
  policy: policyInForce({
    model_allowlist: { models: ['gpt-4.1-mini'] },
    data_region: { within: 'eu' },
    pii_scan: { default: 'redact', answers: { default: 'report' } },
    loop_guard: { repeats: 3 },
    budget_guard: { month_eur: 100 },
    high_risk_use_cases: ['triage-notes'],
    human_approval: { when: [{ use_cases: ['triage-notes'] }], expires_seconds: 3600, approvals_required: 1 },
    bias: { cohorts: ['group-a', 'group-b'] },
  }),
  monthlyBudgetMicroeur: null,
  approvals: {
    decisions: 12,
    decided: 12,
    undecided: 0,
    byUseCase: [{ useCase: 'triage-notes', decided: 12, undecided: 0 }],
    ownApproved: [],
    executed: 3,
    recordsLooked: 3,
    withoutRecord: [],
  },
  monitoring: {
    lastBiasReport: { act: 'compliance.bias_report', at: NOW - 2 * DAY_MS, position: 380 },
    anomalies: [],
    cohorts: ['group-a', 'group-b'],
    compared: 5,
    disparities: [],
    incidents: [{ subject: `incident:tr_${'0'.repeat(32)}`, isFound: true, position: 12 }],
  },
  statements: [],
  data: {
    jurisdiction: 'eu',
    providers: ['anthropic'],
    europeanRoutes: ['bedrock-eu-west-1: Germany or Ireland, read on 2026-11-27'],
    contentDays: 30,
    retentionDays: 365,
    sealed: { objects: 3, withoutKey: 0, hasContentKey: true },
    erasures: { asked: 1, overdue: 0 },
  },
  ...change,
})
