// The page's words for controls: their groups, and for one that fails the problem, and where something can be done about it.
import type { ControlState } from '../../../reports/controls/control.ts'
import { HELD_OUTSIDE_DAYS, REPORT_WITHIN_DAYS } from '../../../reports/controls/recent-evidence.policy.ts'
import type { ComplianceReport, Control } from '../../../reports/report/report.schema.ts'
import type { DashboardAddress, PageFeature } from '../../pages.ts'
import { retentionRange, TIERS, tiersWith, type Tier } from '../../../policies/tier.policy.ts'
import { hasPermission, hasTierFeature, organisation } from '../session.ts'
import { plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { rolesWith, type Permission } from '../../../accounts/access/roles.policy.ts'

/** The groups by the first letter of their controls' ids, in the order of the list. */
export const CONTROL_GROUPS: Readonly<Record<string, string>> = {
  L: 'The record',
  K: 'Keys and access',
  P: 'Policy',
  H: 'People decide',
  M: 'Monitoring',
  D: 'Data',
  X: 'Beyond this service',
}

export const groupOfControl = (id: string): string | undefined =>
  /^X[1-4]$/.test(id) || Object.hasOwn(WORDS, id) ? CONTROL_GROUPS[id.charAt(0)] : undefined

/** What a tier must have for a control to pass. All tiers have what the others need. */
const FEATURES: Readonly<Record<string, PageFeature>> = {
  M1: 'bias_detection',
  M2: 'bias_detection',
}

type Judged = Pick<Control, 'id' | 'state' | 'weight' | 'evidence'>

/** The tiers in which a control that fails could pass, the lowest first. Empty if the organisation's own tier is one of them. */
export function higherTiers({ id, state, evidence: { values } }: Judged): readonly Tier[] {
  const feature = FEATURES[id]
  const able =
    feature !== undefined
      ? tiersWith(feature)
      : TIERS.filter((tier) => id !== 'L5' || retentionRange(tier).most >= Number(values?.['needed_days']))
  return state !== 'fail' || able.includes(organisation().tier) ? [] : able
}

/**
 * A state as the pages show it. `locked`: fails, and no rule or setting of this tier can mend it. `early`: fails before enough calls
 * came for a score.
 */
export type ShownState = ControlState | 'locked' | 'early'

/** Controls that a single call, approval or erasure shows to fail. The others show how an organisation is set up. */
const FAULTS: ReadonlySet<string> = new Set([
  'L1',
  'L2',
  'L3',
  'L6',
  'K1',
  'H1',
  'H2',
  'H3',
  'M1',
  'M3',
  'D1',
  'D3',
  'D4',
])

type Percent = ComplianceReport['score']['percent']

export function shownState(control: Judged, percent: Percent): ShownState {
  if (control.state !== 'fail') return control.state
  if (higherTiers(control).length > 0) return 'locked'
  return percent === null && !FAULTS.has(control.id) ? 'early' : 'fail'
}

type JudgedControls<C> = { controls: readonly C[]; score: { percent: Percent } }

/** Returns the controls in a state, the most important first, and of equal ones those first that this person can mend. */
export const controlsIn = <C extends Control>({ controls, score }: JudgedControls<C>, state: ShownState): C[] =>
  controls
    .filter((control) => shownState(control, score.percent) === state)
    .toSorted((one, other) => other.weight - one.weight || mendableFirst(one, other))

type ControlWords = {
  /** What is wrong if it fails. */
  problem: string
  /** What would make it pass, where the service's own words are long, or are for programs. */
  remedy?: string
  /** What a person can do about it in the dashboard. Absent: it is for the operator. */
  action?: Action
}

type Action = { label: string; to: DashboardAddress }

const WORDS: Readonly<Record<string, ControlWords>> = {
  L1: { problem: 'Calls and records differ in number' },
  L2: { problem: 'Entries do not match their hashes' },
  L3: { problem: 'Records are not in the public log' },
  L4: {
    problem: 'Nobody has saved the log’s signature lately',
    remedy: `Make an evidence file every ${HELD_OUTSIDE_DAYS} days, and keep it elsewhere.`,
    action: { label: 'Save evidence', to: '/app/exports' },
  },
  L5: {
    problem: 'Logs are kept for less than six months',
    remedy: 'Keep details for 185 days or more.',
    action: { label: 'Set retention', to: '/app/settings?part=retention' },
  },
  L6: { problem: 'Entries are gone before their time' },
  L7: {
    problem: 'It is not known how some calls ended',
    action: { label: 'See the calls', to: '/app/calls?outcome=failed' },
  },
  L8: { problem: 'Costs are estimated', action: { label: 'See costs', to: '/app/analytics' } },
  K1: {
    problem: 'A record is dated outside the time of its signing key',
    remedy: 'Publish when each signing key was in force.',
  },
  K2: {
    problem: 'Keys never end, or are not used',
    remedy: 'End each key within 365 days. Revoke those unused for 90 days.',
    action: { label: 'Review keys', to: '/app/keys' },
  },
  K3: { problem: 'A key may both call models and manage', action: { label: 'Review keys', to: '/app/keys' } },
  K4: {
    problem: 'A password alone is enough',
    remedy: 'Require a second factor in the settings. Each member then sets one up.',
    action: { label: 'Require a second factor', to: '/app/settings?part=second-factor' },
  },
  P1: {
    problem: 'No policy of a person limits the calls',
    remedy: 'A person, not a key, puts a policy in force that limits the calls.',
    action: { label: 'Open the policy', to: '/app/policies' },
  },
  P2: {
    problem: 'Models may be used that no call needs',
    remedy: 'Allow only the models that your calls use.',
    action: { label: 'Choose models', to: '/app/policies#model_allowlist' },
  },
  P3: {
    problem: 'Calls do not say what they are for',
    remedy: 'Require a use case on every call.',
    action: { label: 'Require use cases', to: '/app/policies#use_case_guard' },
  },
  P4: {
    problem: 'Some personal data may reach providers',
    remedy: 'Redact or block every shape of personal data but dates, and refuse pictures and files.',
    action: { label: 'Redact it', to: '/app/policies#pii_scan' },
  },
  P5: {
    problem: 'Runaway use is not stopped',
    remedy: 'Enforce loops, and set a budget that is near what you spend and lets calls run.',
    action: { label: 'Set a budget', to: '/app/policies#budget_guard' },
  },
  P6: {
    problem: 'Personal data in answers may go unnoticed',
    remedy: 'Search answers, and ignore no shape.',
    action: { label: 'Search answers', to: '/app/policies#pii_scan' },
  },
  H1: {
    problem: 'High-risk calls do not wait for a decision',
    remedy: 'Hold each high-risk use case for a person, and decide in time.',
    action: { label: 'Hold them', to: '/app/policies#human_approval' },
  },
  H2: {
    problem: 'Somebody approved a request of their own key',
    action: { label: 'See approvals', to: '/app/approvals' },
  },
  H3: { problem: 'A decision has no signed record', action: { label: 'See approvals', to: '/app/approvals' } },
  H4: { problem: 'Requests expire before anybody decides', action: { label: 'See approvals', to: '/app/approvals' } },
  M1: {
    problem: 'Anomalies are not looked into',
    remedy: `Run a comparison every ${REPORT_WITHIN_DAYS} days.`,
    action: { label: 'Open Anomalies', to: '/app/anomalies' },
  },
  M2: {
    problem: 'Differences between groups are open',
    remedy: 'Mend what makes groups differ. An explanation does not make it pass.',
    action: { label: 'See them', to: '/app/anomalies' },
  },
  M3: { problem: 'An incident does not lead to a record', action: { label: 'See calls', to: '/app/calls' } },
  D1: {
    problem: 'Text is routed outside Europe',
    remedy: 'Limit the data region in the policy. Calls without a route inside are then blocked.',
    action: { label: 'Set the data region', to: '/app/policies#data_region' },
  },
  D2: {
    problem: 'Prompts and answers are kept longer than details',
    action: { label: 'Set retention', to: '/app/settings?part=content' },
  },
  D3: { problem: 'Something outside the database is not sealed' },
  D4: { problem: 'An erasure is overdue', action: { label: 'See erasure', to: '/app/settings?part=erasure' } },
  D5: {
    problem: 'The purposes of calls are not known',
    action: { label: 'Require use cases', to: '/app/policies#use_case_guard' },
  },
}

/** H1 in a tier that holds no calls for a person. */
const HIGH_RISK_WITHOUT_APPROVAL: ControlWords = {
  problem: 'High-risk calls run without a decision',
  remedy: 'Allow no high-risk use case. A higher tier can hold them for a person.',
  action: { label: 'Block them', to: '/app/policies#use_case_guard' },
}

/** K1 fails for one of three causes, which its evidence tells. */
const KEY_FOR_DEVELOPMENT: ControlWords = {
  problem: 'The signing key is for development',
  remedy: 'Sign records with a production key. Anybody can have this one.',
}
const KEY_NOT_IN_FORCE: ControlWords = {
  problem: 'The signing key is not published as in force',
  remedy: 'Publish the key, or sign with one that is in force.',
}

/** M1 after a comparison that found something. */
const anomaliesOpen = (count: number): ControlWords => ({
  problem: plural(count, 'anomaly is open', 'anomalies are open'),
  remedy: 'Mend the causes: anomalies leave the list as time passes. An explanation does not make it pass.',
  action: { label: 'Open Anomalies', to: '/app/anomalies' },
})

type Failing = Pick<Control, 'id' | 'title' | 'would_pass' | 'evidence'>

function wordsOf({ id, evidence: { values } }: Failing): ControlWords | undefined {
  if (id === 'K1' && values?.['made_for_development'] === true) return KEY_FOR_DEVELOPMENT
  if (id === 'K1' && evidenceIsEmpty(values?.['keys_outside_their_time'])) return KEY_NOT_IN_FORCE
  if (id === 'M1' && Number(values?.['unexplained']) > 0) return anomaliesOpen(Number(values?.['unexplained']))
  return id === 'H1' && !hasTierFeature('human_approval') ? HIGH_RISK_WITHOUT_APPROVAL : WORDS[id]
}

const evidenceIsEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The problem of a control that fails. One without words of its own is told by its title. */
export const problemOf = (control: Failing): string =>
  wordsOf(control)?.problem ?? `Not so: ${control.title.charAt(0).toLowerCase()}${control.title.slice(1)}`

export const remedyOf = (control: Failing): string => wordsOf(control)?.remedy ?? control.would_pass

/** The permissions that acts on pages need. On the other pages an act is to look. */
const ACT_PERMISSIONS: Partial<Record<string, Permission>> = {
  '/app/keys': 'keys:all',
  '/app/policies': 'policies:change',
  '/app/members': 'members:manage',
  '/app/settings': 'settings:change',
}

const canMend = (control: Failing): boolean => typeof actionOf(control) !== 'string'

export const mendableFirst = (one: Failing, other: Failing): number => Number(canMend(other)) - Number(canMend(one))

/** Returns what the member can do about a control that fails, or a sentence that says who can. */
export function actionOf(control: Failing): Action | string {
  const action = wordsOf(control)?.action
  if (action === undefined) return 'The operator must do this'
  const needs = ACT_PERMISSIONS[action.to.replace(/[?#].*/, '')]
  if (needs === undefined || hasPermission(needs)) return action
  return `For ${listed(rolesWith(needs).filter((who) => who !== 'key'))}`
}
