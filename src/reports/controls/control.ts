// Defines a compliance control and the facts that it measures. A control measures values, and judges by these values alone, so that
// anybody who has them can judge again. Facts are counts, settings and times from the organisation’s object, the accounts and this
// deployment, never text of a request. Times are in milliseconds since the epoch.
import type { DataRegion } from '../../platform/data-region.ts'
import type { KeyScope } from '../../keys/key.schema.ts'
import type { SampleDraw } from '../../evidence/tree/draw-sample.ts'
import type { ContentKind } from '../../policies/facts.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import type { MemberFactor, Requirement } from '../../policies/second-factor.policy.ts'
import type { Feature, Tier } from '../../policies/tier.policy.ts'
import type { ControlSource } from '../report/law.ts'
import type { StatedCause } from './stated-cause.policy.ts'

/** `stated`: a person has explained a measured failure, or a control that nothing here can measure. */
export const CONTROL_STATES = ['pass', 'fail', 'stated', 'not_applicable', 'needs_a_person'] as const

export type ControlState = (typeof CONTROL_STATES)[number]

export type Verdict = Extract<ControlState, 'pass' | 'fail' | 'stated'>

export type EvidenceValues = Readonly<Record<string, string | number | boolean | null | string[]>>

/**
 * `positions`: log entries that show the values. `subjects`: the statements that explain what was found. `sample`: the draw of the
 * entries that were looked at.
 */
type Measured<Values> = {
  values: Values
  positions?: readonly number[]
  subjects?: readonly string[]
  sample?: DrawnSample
}

/** A control without data does not apply. */
type NoData = { reason: string; values?: EvidenceValues }

type ControlText = {
  id: string
  title: string
  sources: readonly ControlSource[]
  /** The control's question, in words. */
  query: string
  /** The change that would make a failing control pass. */
  wouldPass: string
  /** The API path with the same data. Whoever may read the score may open it. */
  link?: string
  /** The feature that the path needs. A report of a tier without it has no link. */
  linkFeature?: Feature
}

type Row<Values extends EvidenceValues> = ControlText & {
  /** 3 the record cannot be trusted without it, 2 an article names it, 1 good practice. */
  weight: 1 | 2 | 3
  /**
   * True if passing earns the weight. False if the service, its defaults, an export or a comparison make it pass: then passing
   * earns nothing, and failing costs the weight.
   */
  earns: boolean
  measure: (facts: Facts) => Measured<Values> | NoData
  judge: (values: Values) => Verdict
}

export type MeasuredControl = Row<EvidenceValues>

/** Nothing here can measure it. A person may make a statement about it. */
export type PeopleControl = ControlText & { weight: 0; earns: false; reason: string }

export type ControlDefinition = MeasuredControl | PeopleControl

/** Types a control by the values that it measures. */
export const control = <Values extends EvidenceValues>(row: Row<Values>): MeasuredControl => ({
  ...row,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `judge` gets values that `measure` made, or a report has of it
  judge: (values) => row.judge(values as Values),
})

export const passIf = (isMet: boolean): Verdict => (isMet ? 'pass' : 'fail')

export const noData = (reason: string, values?: EvidenceValues): NoData => ({ reason, ...(values && { values }) })

export const NO_CALLS = 'There was no call in the period.'

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
  useCases: readonly { name: string; requests: number }[]
  models: readonly string[]
  costMicroeur: number
  /** Calls that reached a provider, by the narrowest region that has all places of their route. */
  routed: Readonly<Record<DataRegion, number>>
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

/**
 * A decision as its entry has it. `policyVersion`: the policy in force then, 0 for none. `retentionDays`: for which its details are
 * kept. `isApproved`: a person had approved it before it ran.
 */
export type SeenCall = {
  /** Of the route that it was first to be sent by. */
  provider: string
  kinds: readonly ContentKind[]
  useCase: string | null
  policyVersion: number
  retentionDays: number
  isAllowed: boolean
  isApproved: boolean
}

/** `callsFrom`: the calls of the period from this position on were looked at too. Null: none was at hand. */
export type DrawnSample = SampleDraw & { callsFrom: number | null }

/** Log entries that were read again and compared with their leaves. */
export type SampleFacts = {
  draw: DrawnSample
  read: number
  /** Positions of entries whose hash differs from their leaf. */
  differing: readonly number[]
  /** Positions of entries that should still be stored and cannot be read. */
  missing: readonly number[]
  /** The period's latest calls and its sampled calls. */
  calls: readonly SeenCall[]
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

export type MemberFacts = readonly { id: string; factor: MemberFactor }[]

/**
 * `madeBy`: operator, usr_… or key_…; null if nobody has made a policy. `modelsOffered`: how many the gateway offers. `history`: the
 * policies under which the calls of the sample came.
 */
export type PolicyFacts = MadePolicy & { modelsOffered: number; history: readonly MadePolicy[] }

export type MadePolicy = { version: number; document: PolicyDocument; madeBy: string | null }

export type ApprovalFacts = {
  decisions: number
  decided: number
  /** Nobody decided: they expired, or a change of policy or key withdrew them. */
  undecided: number
  /** The two numbers above, by use case. */
  byUseCase: readonly { useCase: string | null; decided: number; undecided: number }[]
  /** Ids of approvals whose approver made the requesting key. */
  ownApproved: readonly string[]
  executed: number
  /** How many executed approvals (the latest) still have their decision entry. */
  recordsLooked: number
  /** Positions of decisions of executed approvals without a readable record of acceptance. */
  withoutRecord: readonly number[]
}

/**
 * A person’s statement about a control, an anomaly, a disparity or an incident. `lookedAt`: what the person has looked at.
 * `statedAt`: milliseconds since the epoch.
 */
export type Statement = {
  subject: string
  text: string
  lookedAt: string
  cause: StatedCause | null
  date: string | null
  statedBy: string
  statedAt: number
}

/** The subject of a statement about an incident. Its digits are those of the call's trace and of its attestation. */
export const INCIDENT_SUBJECT = /^incident:tr_([0-9a-f]{32})$/

/**
 * A verdict of disparity, or an anomaly. `subject`: the name for a person's statement about it. `alarms`: the names of all alarms
 * of an anomaly. A statement about any of them explains it, since another alarm may have stood for it then.
 */
export type OpenFinding = { subject: string; alarms?: readonly string[] }

/** `anomalies`, `disparities`: null if the tier has no such analysis. `compared`: how many comparisons had enough calls. */
export type MonitoringFacts = {
  lastBiasReport: ActFacts | null
  anomalies: readonly OpenFinding[] | null
  cohorts: readonly string[]
  compared: number
  disparities: readonly OpenFinding[] | null
  /** Traces marked as incidents. `isFound`: whether a receipt exists. `position`: null if its details are deleted. */
  incidents: readonly { subject: string; isFound: boolean; position: number | null }[]
}

/**
 * `providers`: those enabled, and those that calls were sent to. `europeanRoutes`: their endpoints in Europe, each with its places and
 * the day on which the provider's promise was read. `withoutKey`: how many sealed objects have no key.
 */
export type DataFacts = {
  jurisdiction: string
  providers: readonly string[]
  europeanRoutes: readonly string[]
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
  lastPolicyChange: ActFacts | null
  signing: SigningFacts
  apiKeys: readonly ApiKeyFacts[]
  /** The days of the period on which a key for evaluation worked: its loops were not suppressed. */
  evaluationDays: number
  /** Days of the period with calls, and those of them on which budgets refused more calls than ran, by the hourly counts at hand. */
  budgetDays: { withCalls: number; shutOut: number }
  members: MemberFacts
  requirement: Requirement
  policy: PolicyFacts
  monthlyBudgetMicroeur: number | null
  approvals: ApprovalFacts
  monitoring: MonitoringFacts
  data: DataFacts
  statements: readonly Statement[]
}

/** Returns true if a person has made a statement about the subject. */
export const isStated = ({ statements }: Pick<Facts, 'statements'>, subject: string): boolean =>
  statements.some((one) => one.subject === subject)
