// The page's words for what a control looked at and found, whose names and values are those of the API.
import { exactTime } from '../../parts/times.view.tsx'
import type { Control } from '../../../reports/report/report.schema.ts'
import { formatNumber, formatPercent } from '../../text/format.ts'
import { capitalised, withSpaces } from '../../text/reword-text.ts'
import type { DashboardAddress } from '../../pages.ts'

export type EvidenceValues = NonNullable<Control['evidence']['values']>

/** Names of values that do not say what they are once their underscores are gone. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
  act: 'What was made',
  is_sample: 'Only a sample was looked at',
  asked: 'Asked for',
  cohorts: 'Comparison groups',
  content_days: 'Days that content is kept',
  content_key: 'There is a key for content',
  current_key: 'Key that signs now',
  details_days: 'Days that details are kept',
  differing: 'Not matching',
  from: 'First day',
  further_receipts: 'Further records',
  ids: 'Which',
  kinds_in_use: 'Kinds of content sent',
  kinds_not_looked_into: 'Of those not looked into',
  last_receipt_handed_over: 'Latest record handed over, by its place in the log',
  loop_guard: 'The policy defines loops',
  evaluation_key_days: 'Days of keys for evaluation, whose loops were not suppressed',
  marked: 'Marked as incidents',
  needed_days: 'Days needed',
  endless: 'Not ending within a year',
  idle: 'Not in use',
  data_region: 'Data region of the policy',
  routed_eu: 'Calls routed within the EU',
  routed_eea_ch: 'Calls routed within the EEA or Switzerland',
  routed_elsewhere: 'Calls routed elsewhere',
  routes_in_europe: 'Endpoints in Europe',
  own_approved: 'Approved by the maker of the key',
  pii_scan: 'The policy looks for personal data',
  answers_searched: 'The policy has answers searched',
  receipts: 'Records',
  retention_days: 'Days that details are kept',
  root_matches: 'The tree leads to the signed root',
  to: 'Last day',
  tree_size: 'Entries in the log',
  with_both: 'With both scopes',
  without_receipt: 'Without a record',
  unexplained: 'How many without an explanation',
  without_statement: 'Without an explanation',
  allowed_and_unused: 'Allowed, and used by no call',
  calls_under_it: 'Of those under such a rule',
  ignored_shapes: 'Not looked for',
  reported_shapes: 'Only reported',
  days_shut_out: 'Days on which budgets refused more calls than ran',
  least_of_calls: 'Days that details of a call are kept, at least',
  undecided: 'Ended undecided',
  limiting_rules: 'Rules that limit the calls that came',
  lowest_monthly_budget_eur: 'Lowest budget of a month, in euro',
  spent_a_month_eur: 'Spent in a month, in euro',
  spent_eur: 'Spent, in euro',
  current_key_in_force: 'That key is in force',
}

const ACT_NAMES: Readonly<Record<string, string>> = {
  'compliance.audit_export': 'Evidence file',
  'compliance.report': 'Report',
  'receipts.export': 'File of medical calls',
  'settings.export': 'All data of the organisation',
}

export const valueName = (name: string): string => capitalised(VALUE_NAMES[name] ?? withSpaces(name))

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Returns the value as text, or null if nothing was found. */
export function evidenceText(name: string, value: EvidenceValues[string]): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'number') return name === 'percent' ? formatPercent(value / 100) : formatNumber(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (value === null) return null
  if (TIME.test(value)) return exactTime(value)
  return name === 'act' ? (ACT_NAMES[value] ?? value) : value
}

type Place = { name: string; to: DashboardAddress }

/** The page that shows what an address of the API answers. */
const PLACES: readonly (readonly [begin: string, place: Place])[] = [
  ['/api/analytics/costs', { name: 'Analytics', to: '/app/analytics' }],
  ['/api/analytics/requests', { name: 'Calls', to: '/app/calls' }],
  ['/api/approvals', { name: 'Approvals', to: '/app/approvals' }],
  ['/api/compliance/audit-logs', { name: 'Exports', to: '/app/exports' }],
  ['/api/compliance/bias-detection', { name: 'Anomalies', to: '/app/anomalies' }],
  ['/api/keys', { name: 'API keys', to: '/app/keys' }],
  ['/api/members', { name: 'Members', to: '/app/members' }],
  ['/api/policies', { name: 'Policy', to: '/app/policies' }],
  ['/api/providers', { name: 'Settings', to: '/app/settings?part=providers' }],
  ['/api/settings/export', { name: 'Exports', to: '/app/exports?kind=organisation' }],
  ['/api/settings', { name: 'Settings', to: '/app/settings?part=retention' }],
]

export const placeOf = (link: string): Place | undefined => PLACES.find(([begin]) => link.startsWith(begin))?.[1]
