// Defines a compliance control, the facts that controls are judged by, and helpers for a control's result. Facts are counts,
// settings and times from the organisation’s object, the accounts and this deployment, never text of a request. Times are in
// milliseconds since the epoch.
import type { KeyScope } from '../../keys/key.schema.ts'
import type { ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { Tier } from '../../policies/tier.policy.ts'
import type { StatedCause } from './stated-cause.policy.ts'

export const CONTROL_STATES = ['pass', 'fail', 'not_applicable', 'needs_a_person'] as const

export type ControlState = (typeof CONTROL_STATES)[number]

type EvidenceValues = Readonly<Record<string, string | number | boolean | null | string[]>>

/** `reason`: why the control does not apply, or needs a person. */
type Judgement = {
  state: ControlState
  values: EvidenceValues | null
  positions?: number[]
  reason?: string
}

/** `weight`: 3 the record cannot be trusted without it, 2 an article names it (or L4), 1 good practice, 0 not scored. */
export type ControlDefinition = {
  id: string
  title: string
  weight: 0 | 1 | 2 | 3
  sources: readonly string[]
  /** The control's question, in words. */
  query: string
  /** The change that would make a failing control pass. */
  wouldPass: string
  /** The API path with the same data. */
  link?: string
  judge: (facts: Facts) => Judgement
}

/** Returns a pass or a fail. */
export const judged = (isMet: boolean, values: EvidenceValues, positions?: number[]): Judgement => ({
  state: isMet ? 'pass' : 'fail',
  values,
  ...(positions !== undefined && positions.length > 0 && { positions }),
})

export const notApplicable = (reason: string, values: EvidenceValues | null = null): Judgement => ({
  state: 'not_applicable',
  values,
  reason,
})

/** Returns percent with two decimals; 0 if the whole is 0. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

/** At most this many names are listed; the others are only counted. */
const MOST_NAMES = 20

export const someNames = (names: readonly string[]): string[] =>
  names.length <= MOST_NAMES ? [...names] : [...names.slice(0, MOST_NAMES), `and ${names.length - MOST_NAMES} more`]

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

/**
 * The receipts of whole days, counted one by one, and the usage counters of the same days. `further`: receipts of requests that were
 * sent again while they waited for a person, or ran later: their call is counted once.
 */
export type RecordedFacts = {
  from: string
  to: string
  receipts: number
  counted: number
  inFlight: number
  further: number
}

/** Log entries that were read again and compared with their leaves. */
export type SampleFacts = {
  read: number
  /** Positions of entries whose hash differs from their leaf. */
  differing: readonly number[]
  /** Positions of entries that should still be stored and cannot be read. */
  missing: readonly number[]
  /** Counts by kind of content, over the period's latest calls and its sampled calls. */
  kinds: Readonly<Partial<Record<ContentKind, number>>>
  /** For each key, the times of its first and last signed decision in the sample. */
  signedBy: readonly { publicKey: string; first: number; last: number }[]
}

/** `rootMatches`: whether the stored nodes of the tree lead to the signed root. Null if the log is empty. */
export type TreeFacts = { size: number; rootMatches: boolean | null }

/** `waiting`: the oldest receipt that is not in the public log yet. */
export type PublicationFacts = { lastReceipt: number; waiting: { position: number; at: number } | null }

/** The latest log entry about an act. */
export type ActFacts = { act: string; at: number; position: number }

export type SigningKeyFacts = {
  publicKey: string
  status: 'active' | 'retired' | 'revoked'
  validFrom: number
  validUntil: number | null
}

/** `current`: the public key that signs now. `isThrowAway`: whether it was made for development on one machine. */
export type SigningFacts = { current: string | null; isThrowAway: boolean; history: readonly SigningKeyFacts[] }

export type ApiKeyFacts = {
  id: string
  scopes: readonly KeyScope[]
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
}

/** How many members can sign in, and by which means. */
export type MemberFacts = { members: number; withIdentity: number; withPasswordToo: number }

/** `madeBy`: operator, usr_… or key_…; null if nobody has made a policy. `modelsOffered`: how many the gateway offers. */
export type PolicyFacts = { version: number; document: PolicyDocument; madeBy: string | null; modelsOffered: number }

export type ApprovalFacts = {
  /** How many approvals were examined (the latest of the period), and whether these are all. */
  looked: number
  areAll: boolean
  decisions: number
  decided: number
  expired: number
  /** Ids of approvals whose approver made the requesting key. */
  ownApproved: readonly string[]
  executed: number
  /** How many executed approvals (the latest) still have their decision entry. */
  recordsLooked: number
  /** Positions of decisions of executed approvals without a readable record of acceptance. */
  withoutRecord: readonly number[]
}

/** A person’s statement about a control, an anomaly, a disparity or an incident. `statedAt`: milliseconds since the epoch. */
export type Statement = {
  subject: string
  text: string
  cause: StatedCause | null
  date: string | null
  statedBy: string
  statedAt: number
}

/** The subject of a statement about an incident. Its digits are those of the call's trace and of its attestation. */
export const INCIDENT_SUBJECT = /^incident:tr_([0-9a-f]{32})$/

/** A verdict of disparity, or an anomaly. `subject`: the name for a person's statement about it. */
export type OpenFinding = { subject: string }

/** `anomalies`, `disparities`: null if the tier has no such analysis. `compared`: how many comparisons had enough calls. */
export type MonitoringFacts = {
  lastBiasReport: ActFacts | null
  anomalies: readonly OpenFinding[] | null
  cohorts: readonly string[]
  compared: number
  disparities: readonly OpenFinding[] | null
  /** The subjects of people's statements. */
  stated: ReadonlySet<string>
  /** Traces marked as incidents. `isFound`: whether a receipt exists. `position`: null if its details are deleted. */
  incidents: readonly { subject: string; isFound: boolean; position: number | null }[]
}

/** `regions`: where each enabled provider processes text. `withoutKey`: how many sealed objects have no key. */
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
