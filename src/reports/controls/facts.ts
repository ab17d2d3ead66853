// The facts that controls are judged by: counts, settings and times from the organisation's object, the accounts and this
// deployment. They contain no text of any request. Times are in milliseconds since the epoch.
import type { KeyScope } from '../../keys/key.schema.ts'
import type { ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { Tier } from '../../policies/tier.policy.ts'

/** Counts of the period's calls by ending. `estimated`: the completed calls whose cost is an estimate. */
export type CallFacts = {
  requests: number
  passed: number
  completed: number
  interrupted: number
  estimated: number
  withUseCase: number
  useCases: readonly string[]
}

/** The receipts of whole days, counted one by one, and the usage counters of the same days. */
export type RecordedFacts = { from: string; to: string; receipts: number; counted: number; inFlight: number }

/** Log entries that were read again and compared with their leaves. */
export type SampleFacts = {
  read: number
  /** Positions of entries whose hash differs from their leaf. */
  differing: readonly number[]
  /** Positions of entries that should be kept and cannot be read. */
  missing: readonly number[]
  /** Counts by kind of content, over the period's latest calls and its sampled calls. */
  kinds: Readonly<Partial<Record<ContentKind, number>>>
  /** For each key, the times of its first and last signed decision in the sample. */
  signedBy: readonly { publicKey: string; first: number; last: number }[]
}

/** `rootMatches`: true if the stored nodes of the tree lead to the signed root. Null if the log is empty. */
export type TreeFacts = { size: number; rootMatches: boolean | null }

/** `waiting`: the oldest receipt that the public log does not have yet. */
export type PublicationFacts = { lastReceipt: number; waiting: { position: number; at: number } | null }

/** The latest entry about an act. */
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

/** The ways in which members can sign in. */
export type MemberFacts = { members: number; withIdentity: number; withPasswordToo: number }

/** `madeBy`: operator, usr_… or key_…; null if nobody has made a policy. `modelsOffered`: how many the gateway offers. */
export type PolicyFacts = { version: number; document: PolicyDocument; madeBy: string | null; modelsOffered: number }

export type ApprovalFacts = {
  /** The number of approvals examined, the latest of the period, and whether these are all. */
  looked: number
  areAll: boolean
  decisions: number
  decided: number
  expired: number
  /** Ids of approvals whose approver made the requesting key. */
  ownApproved: readonly string[]
  executed: number
  /** The number of executed approvals, the latest, whose decision entry is kept. */
  recordsLooked: number
  /** Positions of decisions of executed approvals without a readable record of acceptance. */
  withoutRecord: readonly number[]
}

/** A verdict of disparity, or an anomaly. `subject`: the name for a person's statement about it. */
export type OpenFinding = { subject: string }

/** `anomalies`, `disparities`: null if the tier has no such analysis. `compared`: the comparisons with enough calls. */
export type MonitoringFacts = {
  lastBiasReport: ActFacts | null
  anomalies: readonly OpenFinding[] | null
  cohorts: readonly string[]
  compared: number
  disparities: readonly OpenFinding[] | null
  /** The subjects of people's statements. */
  stated: ReadonlySet<string>
  /** Traces marked as incidents. `isFound`: a receipt exists. `position`: its position while its details are kept. */
  incidents: readonly { subject: string; isFound: boolean; position: number | null }[]
}

/**
 * `regions`: the regions in which each enabled provider processes text. `withoutKey`: the number of sealed objects without one.
 */
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
