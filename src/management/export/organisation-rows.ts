// Export rows of an organisation: its policies, statements, anomalies, webhook and usage.
import { alarmSubject, presentAnomaly, type Anomaly } from '../../organisation/bias/bias-measures.ts'
import type { Statement } from '../../reports/controls/control.ts'
import type { ShownWebhook } from '../../organisation/notifications/webhook.target.ts'
import { AnomalySchema } from '../bias/bias.schema.ts'
import { presentStatement, StatementSchema } from '../compliance/compliance.schema.ts'
import { presentWebhook } from '../notifications/present-webhook.ts'
import { DeliverySchema, WebhookSchema } from '../notifications/notifications.schema.ts'
import { presentIdentity } from '../../accounts/organisation-wire.ts'
import { toEur } from '../../platform/money.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import type { Usage } from '../../organisation/usage/usage.target.ts'
import { DAY_MS, utcMonthName } from '../../platform/time.ts'
import { loopThresholds } from '../../policies/loops.policy.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { PolicyVersion } from '../../organisation/policies/policy-versions.store.ts'
import { type Cell, exportColumns, RawJson, type Row, type RowKind, rowOf } from './export-row.ts'
import { COUNTED_DAY_COLUMNS } from './counted-day-rows.ts'

export const ORGANISATION_COLUMNS = [
  'id',
  'object',
  'created_at',
  'name',
  'tier',
  'jurisdiction',
  'region',
  'demo',
  'tier_request',
]

export const describeOrganisation = (record: OrganisationRecord): Row => presentIdentity(record, 'organisation')

export const statementColumns = (): string[] => ['id', ...Object.keys(StatementSchema().shape)]

export const describeStatement = (statement: Statement): Row => ({
  id: statement.subject,
  ...presentStatement(statement),
})

export const anomalyColumns = (): string[] => ['id', ...Object.keys(AnomalySchema().shape)]

/** The row's id is the subject that a statement about the anomaly has. */
export const describeAnomaly = (anomaly: Anomaly): Row => ({
  id: alarmSubject(anomaly),
  ...presentAnomaly(anomaly),
})

export const notificationColumns = (): string[] =>
  exportColumns({ id: null }, WebhookSchema().shape, DeliverySchema().shape)

/** An organisation has at most one webhook. */
export const describeWebhook = (webhook: ShownWebhook): Row => ({ id: 'webhook', ...presentWebhook(webhook) })

const POLICY: RowKind<{ id: string; settingsVersion: number; parameters: Cell }> = {
  id: ({ id }) => id,
  object: () => 'policy',
  settings_version: ({ settingsVersion }) => settingsVersion,
  parameters: ({ parameters }) => parameters,
}

const POLICY_VERSION: RowKind<PolicyVersion> = {
  id: ({ version }) => version,
  object: () => 'policy_version',
  created_at: ({ madeAt }) => new Date(madeAt).toISOString(),
  created_by: ({ actor }) => actor,
  reason: ({ reason }) => reason,
  document: ({ document }) => new RawJson(JSON.stringify(document)),
}

export const POLICY_COLUMNS = exportColumns(POLICY, POLICY_VERSION)

export const describePolicyVersion = rowOf(POLICY_VERSION)

/** Returns the limits that settings and tier put on chat requests. A row's id is the policy's name in decision records. */
export function describePolicies(record: OrganisationRecord): Row[] {
  const { requestsPerMinute, requestsPerMonth, models } = planOf(record)
  const thresholds = loopThresholds(record)
  const policies: [id: string, parameters: Cell][] = [
    ['rate_limit', { requests_per_minute: requestsPerMinute, requests_per_month: requestsPerMonth }],
    ['model_allowlist', { models, enabled_providers: record.enabledProviders }],
    [
      'loop_guard',
      {
        repeats: thresholds.repeats,
        window_seconds: thresholds.repeatWindowMs / 1000,
        cycle_rounds: thresholds.cycleRepeats,
        longest_cycle: thresholds.longestCycle,
        cycle_window_seconds: thresholds.cycleWindowMs / 1000,
        quiet_seconds: thresholds.quietMs / 1000,
      },
    ],
  ]
  const budget = toEur(record.monthlyBudgetMicroeur)
  if (budget !== null) policies.push(['budget_guard', { monthly_budget_eur: budget }])
  return policies.map(([id, parameters]) => rowOf(POLICY)({ id, settingsVersion: record.version, parameters }))
}

export const USAGE_COLUMNS = ['id', 'object', 'requests', 'spent_eur', 'reserved_eur', 'key_id', ...COUNTED_DAY_COLUMNS]

/** Returns the rows of usage. A month of chats has the month as id; a day of letter readings has its date and key. */
export const describeUsage = ({ months, days }: Usage): Row[] => [
  ...months.map(({ month, requests, spentMicroeur, reservedMicroeur }) => ({
    id: utcMonthName(month),
    object: 'month',
    requests,
    spent_eur: toEur(spentMicroeur),
    reserved_eur: toEur(reservedMicroeur),
  })),
  ...days.map(({ keyId, day, microeur }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    return { id: `${date}/${keyId}`, object: 'reading_day', spent_eur: toEur(microeur), key_id: keyId }
  }),
]
