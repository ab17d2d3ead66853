// Checks that the approval in a receipt belongs to its call. Every decision must be about the refused call, and nobody may decide
// the same twice. The approval's state must follow from the decisions and from how many people must approve.
import { ACCEPT_FAULTS, findAcceptFault, isAcceptanceOf } from '../records/accept-record.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { parseRfc3339 } from '../records/rfc3339.ts'
import { VERIFY_FAULTS, verifyRecord, type PinnedTrust } from '../records/verify-record.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { recordLeafHash } from '../bundles/logged-record.ts'
import { SUBJECT_MISMATCH } from './check-record.ts'
import { toPrintable } from './printable.ts'
import { faultOf, judged, passed, unproven, type Finding } from './verification-finding.ts'
import { hasExactMembers } from '../records/member-names.ts'

/** The rule in `policy_applied`. On a refusal it requires people's approval; on a passed call it says that they approved. */
const RULE = 'human_approval'

export const APPROVAL_FAULTS = {
  approval_malformed:
    'Its acceptance does not have exactly an approval_id, the number required, the subject and the records.',
  approval_of_no_rule: 'People approved nothing here: the record does not name human_approval.',
  subject_no_refusal: 'The record that people decided about is not a refusal that asks for approval.',
  subject_mismatch: 'People decided about another request.',
  subject_of_another_call: 'People decided about another refusal than this one.',
  out_of_order: 'A decision is older than what it is about, or younger than the call that ran with it.',
  decision_twice: 'A decision appears twice, or somebody decided twice.',
  state_contradicted: 'approval_state is not what the record and the decisions in it say.',
} as const

const MISSING = {
  acceptance: 'The record names human_approval, and the decisions are missing.',
  subject: 'The record that people decided about is missing.',
  decisions: 'It has fewer approvals than required, or the decision that ended it is missing.',
} as const

/** The receipt, or its export, is signed as a whole. So its parts count as proven to be in a log. */
const IS_VOUCHED_FOR = true

/** The parts of a receipt: its valid record, and its members about an approval. */
export type ApprovalClaim = { record: JsonObject; state: unknown; acceptance: JsonObject | null }

type ApprovalEvidence = { id: string; required: number; subject: JsonObject | null; records: readonly unknown[] }

export function checkApproval({ record, state, acceptance }: ApprovalClaim, trust: PinnedTrust): Finding[] {
  if (acceptance === null) {
    const isMissing = state !== null || (namesApprovalRule(record) && hasRun(record))
    return isMissing ? [judged('approval', toPrintable(record['attestation_id']), unproven(MISSING.acceptance))] : []
  }
  const read = readApprovalEvidence(acceptance)
  const id = toPrintable(acceptance['approval_id'])
  if (read === null) return [refuse(id, 'approval_malformed')]
  if (!namesApprovalRule(record) || state === null) return [refuse(id, 'approval_of_no_rule')]
  const { subject, records } = read
  if (subject === null) return [judged('subject', id, unproven(MISSING.subject))]
  const parts = [checkSubject(subject, record, trust), ...records.map((each) => checkDecision(each, subject, trust))]
  if (parts.some(({ valid }) => !valid)) return parts
  return [...parts, judgeDecisions(read, record, state)]
}

const namesApprovalRule = ({ policy_applied: rules }: JsonObject): boolean =>
  Array.isArray(rules) && rules.includes(RULE)

const hasRun = ({ outcome }: JsonObject): boolean => outcome === 'ALLOWED' || outcome === 'PASSED'

const refuse = (id: string, code: keyof typeof APPROVAL_FAULTS, kind: Finding['kind'] = 'approval'): Finding =>
  judged(kind, id, faultOf(APPROVAL_FAULTS, code))

const MEMBERS = ['approval_id', 'approvals_required', 'subject', 'records']

function readApprovalEvidence(acceptance: JsonObject): ApprovalEvidence | null {
  const { approval_id: id, subject, records } = acceptance
  const required = wholeNumberIn(acceptance, 'approvals_required') ?? 0
  if (!hasExactMembers(acceptance, MEMBERS) || typeof id !== 'string' || required < 1 || !Array.isArray(records))
    return null
  if (subject !== null && !isJsonObject(subject)) return null
  return { id, required, subject, records }
}

function checkSubject(subject: JsonObject, record: JsonObject, trust: PinnedTrust): Finding {
  const id = toPrintable(subject['attestation_id'])
  const verdict = verifyRecord(subject, trust, { isIncluded: IS_VOUCHED_FOR })
  if (!verdict.valid) return judged('subject', id, faultOf(VERIFY_FAULTS, verdict.fault))
  const isOfRequest = subject['request_hash'] === record['request_hash'] && subject['org_id'] === record['org_id']
  if (!isOfRequest) return refuse(id, 'subject_mismatch', 'subject')
  if (subject['outcome'] !== 'BLOCKED' || !namesApprovalRule(subject))
    return refuse(id, 'subject_no_refusal', 'subject')
  if (!hasRun(record) && recordLeafHash(subject) !== recordLeafHash(record))
    return refuse(id, 'subject_of_another_call', 'subject')
  return timeIn(subject) <= timeIn(record) ? passed('subject', id) : refuse(id, 'out_of_order', 'subject')
}

function checkDecision(decision: unknown, subject: JsonObject, trust: PinnedTrust): Finding {
  const id = isJsonObject(decision) ? toPrintable(decision['acceptance_id']) : ''
  const fault = findAcceptFault(decision, trust, IS_VOUCHED_FOR)
  if (fault !== null) return judged('acceptance', id, faultOf(ACCEPT_FAULTS, fault))
  const isItsOwn = isJsonObject(decision) && isAcceptanceOf(decision, subject) && namesApprovalRule(decision)
  return judged('acceptance', id, isItsOwn ? null : SUBJECT_MISMATCH)
}

function judgeDecisions(
  { id, required, subject, records }: ApprovalEvidence,
  record: JsonObject,
  state: unknown,
): Finding {
  const decisions = records.filter(isJsonObject)
  const distinct = (of: (decision: JsonObject) => unknown[]): boolean =>
    new Set(decisions.map((decision) => JSON.stringify(of(decision)))).size === decisions.length
  // A person may escalate first, and approve or deny afterwards.
  const areDistinct =
    distinct(({ acceptance_id }) => [acceptance_id]) &&
    distinct(({ reviewer_ref, decision }) => [reviewer_ref, decision])
  if (!areDistinct) return refuse(toPrintable(id), 'decision_twice')
  const isInOrder = decisions.every(
    (one) => timeIn(one) >= timeIn(subject ?? {}) && (!hasRun(record) || timeIn(one) <= timeIn(record)),
  )
  if (!isInOrder) return refuse(toPrintable(id), 'out_of_order')
  const made = decisions.map(({ decision }) => decision)
  const approved = made.filter((decision) => decision === 'OVERRIDDEN').length
  const summary = `${toPrintable(id)}  ${toPrintable(state)}, ${approved} of ${required}`
  const follows = followsFrom(hasRun(record), state, {
    isDenied: made.includes('ACCEPTED'),
    isApproved: approved >= required,
  })
  if (follows === 'contradicted') return refuse(summary, 'state_contradicted')
  return follows === 'shown' ? passed('approval', summary) : judged('approval', summary, unproven(MISSING.decisions))
}

type Follows = 'shown' | 'missing' | 'contradicted'

/** Judges each state, if nobody denied: with as many approvals as required, and with fewer. */
const STATES: ReadonlyMap<unknown, readonly [approved: Follows, fewer: Follows]> = new Map([
  ['pending', ['contradicted', 'shown']],
  ['denied', ['contradicted', 'missing']],
  ['approved', ['shown', 'missing']],
  ['claimed', ['shown', 'missing']],
  ['executed', ['shown', 'missing']],
  ['expired', ['shown', 'shown']],
  ['withdrawn', ['shown', 'shown']],
])

/** Checks whether a state follows from the decisions. A call that ran used its approval; a refusal may have any end. */
function followsFrom(isRun: boolean, state: unknown, made: { isDenied: boolean; isApproved: boolean }): Follows {
  if (made.isDenied) return !isRun && state === 'denied' && !made.isApproved ? 'shown' : 'contradicted'
  if (isRun && state !== 'claimed' && state !== 'executed') return 'contradicted'
  const [approved, fewer] = STATES.get(state) ?? ['contradicted', 'contradicted']
  return made.isApproved ? approved : fewer
}

const timeIn = ({ timestamp }: JsonObject): number => parseRfc3339(timestamp) ?? Infinity
