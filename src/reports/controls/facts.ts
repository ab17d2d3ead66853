// What the controls are judged by: counts, settings and times, as the organisation's object, the accounts and this deployment have
// them. No text of any request. Times in milliseconds since the epoch.
import type { KeyScope } from '../../keys/key.schema.ts'
import type { ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { Tier } from '../../policies/tier.policy.ts'

/** Of the calls of the period, by how they ended. `estimated`: of those completed, how many were paid for by an estimate. */
export type CallFacts = {
  requests: number
  passed: number
  completed: number
  interrupted: number
  estimated: number
  withUseCase: number
  useCases: readonly string[]
}

/** The receipts of whole days that were counted one by one, and what the usage of the same days says. */
export type RecordedFacts = { from: string; to: string; receipts: number; counted: number; inFlight: number }

/** Entries that were read again and compared with their leaves. */
export type SampleFacts = {
  read: number
  /** Of entries that are not what their leaf is the hash of. */
  differing: readonly number[]
  /** Of entries that should be kept and cannot be read. */
  missing: readonly number[]
  /** By kinds of content: of the latest calls of the period, and of those of it that were drawn. */
  kinds: Readonly<Partial<Record<ContentKind, number>>>
  /** When the first and the last of those that a key signed were decided. */
  signedBy: readonly { publicKey: string; first: number; last: number }[]
}

/** `rootMatches`: whether the stored nodes of the tree lead to the root that is signed. Null: the log is empty. */
export type TreeFacts = { size: number; rootMatches: boolean | null }

/** `waiting`: the oldest receipt that the public log has not got. */
export type PublicationFacts = { lastReceipt: number; waiting: { position: number; at: number } | null }

/** The latest entry that tells of an act. */
export type ActFacts = { act: string; at: number; position: number }

export type SigningKeyFacts = {
  publicKey: string
  status: 'active' | 'retired' | 'revoked'
  validFrom: number
  validUntil: number | null
}

/** `current`: the public key that signs now. `isThrowAway`: made for development on one machine. */
export type SigningFacts = { current: string | null; isThrowAway: boolean; history: readonly SigningKeyFacts[] }

export type ApiKeyFacts = {
  id: string
  scopes: readonly KeyScope[]
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
}

/** How the members can sign in. */
export type MemberFacts = { members: number; withIdentity: number; withPasswordToo: number }

/** `madeBy`: operator, usr_… or key_…; null where nobody has made one. `models`: how many the gateway offers. */
export type PolicyFacts = { version: number; document: PolicyDocument; madeBy: string | null; modelsOffered: number }

export type ApprovalFacts = {
  /** Approvals that were looked at, the latest of the period; and whether those are all. */
  looked: number
  areAll: boolean
  decisions: number
  decided: number
  expired: number
  /** Ids of approvals whose approver made the key that asked. */
  ownApproved: readonly string[]
  executed: number
  /** Of how many of those, the latest, the entry of a decision is kept. */
  recordsLooked: number
  /** Positions of decisions of executed approvals that have no readable record of acceptance. */
  withoutRecord: readonly number[]
}

/** A verdict of disparity, or an anomaly: `subject` is what a person's statement about it names. */
export type OpenFinding = { subject: string }

/** `anomalies`, `disparities`: null where there is no such analysis for the tier. `compared`: comparisons that had enough calls. */
export type MonitoringFacts = {
  lastBiasReport: ActFacts | null
  anomalies: readonly OpenFinding[] | null
  cohorts: readonly string[]
  compared: number
  disparities: readonly OpenFinding[] | null
  /** What people have made a statement about. */
  stated: ReadonlySet<string>
  /** Traces that were marked as incidents: whether there is a receipt, and where while its details are kept. */
  incidents: readonly { subject: string; isFound: boolean; position: number | null }[]
}

/** `regions`: where each enabled provider processes text. `withoutKey`: of the sealed objects. */
export type DataFacts = {
  jurisdiction: string
  providers: readonly { id: string; regions: readonly string[] }[]
  contentDays: number | null
  retentionDays: number
  sealed: { objects: number; withoutKey: number; hasContentKey: boolean }
  erasures: { asked: number; overdue: number }
}

export type Facts = {
  now: number
  tier: Tier
  /** UTC days, both inclusive. */
  start: string
  end: string
  calls: CallFacts
  recorded: RecordedFacts | null
  sample: SampleFacts
  tree: TreeFacts
  publication: PublicationFacts
  lastExport: ActFacts | null
  signing: SigningFacts
  apiKeys: readonly ApiKeyFacts[]
  members: MemberFacts
  policy: PolicyFacts
  hasMonthlyBudget: boolean
  approvals: ApprovalFacts
  monitoring: MonitoringFacts
  data: DataFacts
}
