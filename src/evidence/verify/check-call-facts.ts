// Checks the facts of the decision in an evidence bundle, and says which part of the call no hash covers.
import { FACTS_FAULTS, FACTS_NOT_COVERED, judgeFacts, judgeRepeatedHash } from '../records/facts-commitment.ts'
import type { JsonObject } from '../../platform/json.ts'
import { failed, passed, toPrintable, type Finding } from './verification-finding.ts'

export const NOT_COVERED = {
  facts_not_covered: FACTS_NOT_COVERED,
  facts_withheld: 'It has no facts, because they were left out. Nothing is said of them.',
  answer_not_covered: 'Answer not covered: its settlement commits to none.',
} as const

const note = (kind: 'facts' | 'answer', code: keyof typeof NOT_COVERED): Finding =>
  passed(kind, '', { code, reason: NOT_COVERED[code] })

/** `isOld`: a bundle of the form without facts. `content`: that of the settlement; null if the call is not settled. */
type CallWithFacts = { facts: JsonObject | null; isOld: boolean; record: JsonObject; content: JsonObject | null }

export function checkFacts({ facts, isOld, record, content }: CallWithFacts): Finding[] {
  const hasAnswer = content === null || Object.hasOwn(content, 'answer')
  return [judge({ facts, isOld, record, content }), ...(hasAnswer ? [] : [note('answer', 'answer_not_covered')])]
}

function judge({ facts, isOld, record, content }: CallWithFacts): Finding {
  if (facts === null) return note('facts', isOld && !hasHash(content) ? 'facts_not_covered' : 'facts_withheld')
  const judged = judgeFacts(facts, record['attestation_id'])
  const subject = `${toPrintable(facts['provider'])}, ${toPrintable(facts['key_id'])}, ${Object.keys(facts).length} members`
  if (typeof judged === 'object') {
    const fault = hasHash(content) ? judgeRepeatedHash(content['facts_sha256'], judged.sha256) : null
    return fault === null ? passed('facts', subject) : failed('facts', subject, fault, FACTS_FAULTS[fault])
  }
  const fault = judged === 'not_covered' ? 'facts_missing' : judged
  return failed('facts', subject, fault, FACTS_FAULTS[fault])
}

/** A call that was settled after its facts were deleted has none. */
const hasHash = (content: JsonObject | null): content is JsonObject =>
  content !== null && Object.hasOwn(content, 'facts_sha256')
