// Checks the facts of the decision in an evidence bundle, the coverage entry that they name and the search of its answer, and says
// which part of the call no hash covers.
import { FACTS_FAULTS, FACTS_NOT_COVERED, judgeFacts, judgeRepeatedHash } from '../records/facts-commitment.ts'
import {
  COVERAGE_FAULTS,
  COVERAGE_NOTES,
  judgeOperation,
  readCoverage,
  softwareText,
  type CoverageFault,
} from '../records/coverage-entry.ts'
import { foundIn, readAnswerScan, SCAN_MALFORMED } from '../records/answer-scan.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { findMembersFault } from './judge-log.ts'
import { toPrintable } from './printable.ts'
import { failed, faultOf, judged, passed, type Fault, type Finding } from './verification-finding.ts'

export const NOT_COVERED = {
  facts_not_covered: FACTS_NOT_COVERED,
  facts_withheld: 'It has no facts, because they were left out. Nothing is said of them.',
  answer_not_covered: 'Answer not covered: its settlement commits to none.',
  answers_not_searched: 'Nothing of its answer was searched.',
} as const

const note = (kind: 'facts' | 'answer' | 'answer_scan', code: keyof typeof NOT_COVERED): Finding =>
  passed(kind, '', { code, reason: NOT_COVERED[code] })

/** Checks what a settlement says of the search of its answer. @param isLine of an export, which would have a note a line */
export function checkAnswerScan(content: JsonObject, isLine: boolean): Finding[] {
  const scan = readAnswerScan(content)
  if (scan === null) {
    const isAbsent = content['answer_scan'] === undefined
    return isAbsent ? [] : [failed('answer_scan', '', 'answer_scan_malformed', SCAN_MALFORMED)]
  }
  const { coverage, redacted } = scan
  if (coverage === 'none' && foundIn(scan) === 0) return isLine ? [] : [note('answer_scan', 'answers_not_searched')]
  return [passed('answer_scan', `${coverage}, ${foundIn(scan)} found, ${redacted} taken out`)]
}

/** `isOld`: a bundle of the form without facts. `content`: that of the settlement; null if the call is not settled. */
type CallWithFacts = { facts: JsonObject | null; isOld: boolean; record: JsonObject; content: JsonObject | null }

export function checkFacts({ facts, isOld, record, content }: CallWithFacts): Finding[] {
  const hasAnswer = content === null || Object.hasOwn(content, 'answer')
  return [judge({ facts, isOld, record, content }), ...(hasAnswer ? [] : [note('answer', 'answer_not_covered')])]
}

function judge({ facts, isOld, record, content }: CallWithFacts): Finding {
  if (facts === null) return note('facts', isOld && !hasHash(content) ? 'facts_not_covered' : 'facts_withheld')
  const covered = judgeFacts(facts, record['attestation_id'])
  const subject = `${toPrintable(facts['provider'])}, ${toPrintable(facts['key_id'])}, ${Object.keys(facts).length} members`
  if (typeof covered === 'object') {
    const fault = hasHash(content) ? judgeRepeatedHash(content['facts_sha256'], covered.sha256) : null
    return judged('facts', subject, faultOf(FACTS_FAULTS, fault))
  }
  return judged('facts', subject, faultOf(FACTS_FAULTS, covered === 'not_covered' ? 'facts_missing' : covered))
}

/** A call that was settled after its facts were deleted has none. */
const hasHash = (content: JsonObject | null): content is JsonObject =>
  content !== null && Object.hasOwn(content, 'facts_sha256')

const NOT_NAMED = {
  code: 'facts_withheld',
  reason: 'The facts were left out, so nothing shows that the decision names this entry.',
}

type CoveredCall = {
  /** Null if they are left out. */
  facts: JsonObject | null
  /** Judges the entry with its proof. Returns its position and the record's, or the fault. */
  judge: (coverage: JsonObject) => { index: number; record: number } | Fault
}

/** Checks the coverage entry of a bundle: that it is in the log, well formed, and the one that the facts name. */
export function checkCoverage(coverage: JsonObject | null, call: CoveredCall): Finding[] {
  if (coverage !== null) return [judgeCoverage(coverage, call)]
  const { facts } = call
  if (facts === null || !Object.hasOwn(facts, 'coverage')) return []
  const subject = `leaf ${toPrintable(facts['coverage'])}`
  const isPosition = wholeNumberIn(facts, 'coverage') !== null
  if (!isPosition) return [judged('coverage', subject, faultOf(COVERAGE_FAULTS, 'coverage_mismatch'))]
  return [passed('coverage', subject, faultOf(COVERAGE_NOTES, 'coverage_elsewhere'))]
}

function judgeCoverage(coverage: JsonObject, { facts, judge: judgeEntry }: CoveredCall): Finding {
  const { index, content } = coverage
  const subject = `leaf ${toPrintable(index)}`
  const shape = findMembersFault(coverage, ['index', 'content', 'entry', 'proof'])
  const found = shape ?? judgeEntry(coverage)
  if ('code' in found) return judged('coverage', subject, found)
  const declared = readCoverage(isJsonObject(content) ? content : {})
  const findFault = (): CoverageFault | null => {
    if (declared === null) return 'coverage_malformed'
    const isNamed = facts === null || wholeNumberIn(facts, 'coverage') === found.index
    const isBefore = found.index < found.record && wholeNumberIn(coverage, 'index') === found.index
    if (!isNamed || !isBefore) return 'coverage_mismatch'
    return facts && judgeOperation(RECEIPT_KIND, facts['operation'], declared)
  }
  const fault = faultOf(COVERAGE_FAULTS, findFault())
  // SECURITY: whoever left the facts out could have put any earlier entry here.
  if (fault === null && facts === null) return passed('coverage', subject, NOT_NAMED)
  const software = declared === null ? '' : `: ${toPrintable(softwareText(declared))}`
  return judged('coverage', `${subject}${fault === null ? software : ''}`, fault)
}
