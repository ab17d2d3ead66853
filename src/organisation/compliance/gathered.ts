// What an organisation's object tells of itself for the checklist and the reports: values alone, which go to the Worker by RPC.
import type { Facts } from '../../compliance/controls/facts.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { ProviderId } from '../../providers/registry.ts'
import type { ApprovalCounts } from './approval-facts.ts'
import type { Statement } from './statements.store.ts'

/** Whole UTC days since the epoch, both included. */
export type Period = { first: number; last: number }

export type Gathered = Pick<
  Facts,
  | 'now'
  | 'tier'
  | 'calls'
  | 'recorded'
  | 'sample'
  | 'tree'
  | 'publication'
  | 'lastExport'
  | 'apiKeys'
  | 'hasMonthlyBudget'
> & {
  /** Of the log at the end of the gathering: 32 bytes. */
  root: Uint8Array
  policy: { version: number; document: PolicyDocument; madeBy: string | null }
  approvals: Facts['approvals']
  approvalCounts: ApprovalCounts
  monitoring: Omit<Facts['monitoring'], 'stated'>
  statements: Statement[]
  enabledProviders: ProviderId[]
  contentDays: number | null
  retentionDays: number
  sealed: Facts['data']['sealed']
}
