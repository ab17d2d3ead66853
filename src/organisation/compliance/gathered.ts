// Facts that an organisation's object gathers for the checklist and the reports: values alone, which go to the Worker by RPC.
import type { Facts } from '../../reports/controls/control.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { ProviderId } from '../../providers/registry.ts'
import type { FoundAnomaly } from '../bias/anomaly.ts'
import type { BiasReport, WantedBias } from '../bias/bias.target.ts'
import type { ApprovalCounts } from './approval-facts.ts'
import type { Statement } from './statements.store.ts'
import type { UsageFacts } from './usage-facts.ts'

/** Whole UTC days since the epoch, both included. */
export type Period = { first: number; last: number }

/** The members that `Gathered` and `Facts` have in common. */
type Told = Pick<
  Facts,
  | 'now'
  | 'tier'
  | 'recorded'
  | 'sample'
  | 'tree'
  | 'publication'
  | 'lastExport'
  | 'apiKeys'
  | 'approvals'
  | 'hasMonthlyBudget'
>

/** One comparison of groups, and the question that it answers. */
export type Compared = { wanted: WantedBias; report: BiasReport }

export type Gathered = Told & {
  /** The root of the log at the end of the gathering: 32 bytes. */
  root: Uint8Array
  usage: UsageFacts
  policy: { version: number; document: PolicyDocument; madeBy: string | null }
  approvalCounts: ApprovalCounts
  /** Null where the tier has no bias detection. */
  bias: { compared: Compared[]; anomalies: FoundAnomaly[] } | null
  lastBiasReport: Facts['monitoring']['lastBiasReport']
  incidents: Facts['monitoring']['incidents']
  statements: Statement[]
  enabledProviders: ProviderId[]
  contentDays: number | null
  retentionDays: number
  sealed: Facts['data']['sealed']
}
