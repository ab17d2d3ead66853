// Checks the evidence of one call: an evidence bundle, a medical receipt, or a line of an export of receipts. All are read into
// one type, and CHECKS lists the checks of each.
//
// SECURITY: the sender made all of it, including its list of keys, so nothing in it is trusted.
import { OUTCOMES, signedOutcomeOf } from '../records/call-endings.ts'
import { ISSUED_MEMBERS } from '../records/issued-document.ts'
import { KEY_LIST_FAULTS, readKeyList, type KeyList } from '../records/key-list.ts'
import { isSaltOf } from '../records/facts-commitment.ts'
import { VERIFY_FAULTS, verifyRecord, type PinnedTrust } from '../records/verify-record.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { EVIDENCE_FORMS } from '../bundles/logged-record.ts'
import { checkAnswerScan, checkCoverage, checkFacts } from './check-call-facts.ts'
import { checkAnchor, lastLeafOf } from './check-anchor.ts'
import { checkApproval } from './check-approval.ts'
import { judgeIssuedDocument, judgeKeyByList } from './check-issued-document.ts'
import { printed, toPrintable } from './printable.ts'
import { faultOf, hasFittingDemoMark, judged, unproven, type Fault, type Finding } from './verification-finding.ts'
import { hasExactMembers } from '../records/member-names.ts'
import { findMembersFault, judgeEntry, judgeLog, judgeSettlement, partFault, type JudgedLog } from './judge-log.ts'
import { pinnedTrustOf, type CheckOptions } from './check-options.ts'

/** True for a medical receipt, and for the record of any call, which has the same members. */
export const isReceipt = ({ object }: JsonObject): boolean => object === 'medical_receipt' || object === 'call_record'

/** The record of a call, the settlement of the call, and a head and a proof for each log. */
type LoggedRecord = {
  record: JsonObject
  /** Null if the call may not be settled yet. The document cannot show that somebody removed it. */
  settlement: JsonObject | null
  organisationLog: JsonObject
  /** Null if the record may not be published yet. */
  publicLog: JsonObject | null
}

type Call = LoggedRecord & {
  document: JsonObject
  trust: PinnedTrust
  /** The keys in the head of an export; null for a document outside an export. */
  list: KeyList | null
  /** The subject of the finding on a part. */
  describe: (part: Part) => string
}

type Part = 'record' | 'organisation_log' | 'public_log' | 'settlement' | 'keys'

type Check = (call: Call & { parts: JudgedParts }) => Finding | readonly Finding[]

/** The checks of each document, in the order of the findings. */
const CHECKS = {
  bundle: [
    checkRecord,
    checkItsFacts,
    checkItsCoverage,
    checkOrganisationLog,
    checkPublicLog,
    checkSettlement,
    checkAnswerSalt,
    checkOwnKeys,
    checkItsAnchor,
  ],
  receipt: [
    checkRecord,
    checkOrganisationLog,
    checkPublicLog,
    checkSettlement,
    checkMembers,
    checkItsApproval,
    checkItsAnchor,
  ],
  line: [checkRecord, checkOrganisationLog, checkSettlement, checkMembers, checkItsApproval, checkExportKeys],
} as const satisfies Record<string, readonly Check[]>

function run(checks: readonly Check[], call: Call): Finding[] {
  const parts = judgeParts(call, call.trust)
  return checks.flatMap((check) => check({ ...call, parts }))
}

export function checkBundle(bundle: JsonObject, options: CheckOptions): Finding[] {
  const trust = pinnedTrustOf(options)
  const logged = readBundle(bundle)
  if ('code' in logged) return [judged('bundle', toPrintable(bundle['format']), logged)]
  const describe = (part: Part): string => DESCRIBED[part](logged)
  const findings = run(CHECKS.bundle, { ...logged, document: bundle, trust, list: null, describe })
  return [...findings, ...checkItsAnswer(findings, bundle, logged, options)]
}

/** Checks the caller's copy of the answer, if one was given. */
function checkItsAnswer(
  others: readonly Finding[],
  { format, facts }: JsonObject,
  { record, settlement }: LoggedRecord,
  { answer: check, cryptography }: CheckOptions,
): Finding[] {
  if (check === null) return []
  const { content, answer_salt: salt = null } = settlement ?? {}
  const call = {
    record,
    facts: hasMember(format, 'facts') && isJsonObject(facts) ? facts : null,
    content: isJsonObject(content) ? content : null,
    salt,
    isValid: others.every(({ valid }) => valid),
  }
  return [check(call, cryptography)]
}

function readBundle(bundle: JsonObject): LoggedRecord | Fault {
  const further = EVIDENCE_FORMS.get(bundle['format'])
  if (further === undefined) return partFault('another_format')
  const names = ['format', 'record', 'settlement', 'organisation_log', 'public_log', 'keys']
  // A bundle without an anchor is still a bundle.
  const shape = findMembersFault(bundle, [...names, ...further], ['anchor'])
  if (shape !== null) return shape
  if (!further.every((name) => isObjectOrNull(bundle[name]))) return partFault('not_an_object')
  const logged = readLogged(bundle, bundle['record'])
  return logged !== null && isJsonObject(bundle['keys']) ? logged : partFault('not_an_object')
}

const hasMember = (format: unknown, name: 'facts' | 'coverage'): boolean =>
  EVIDENCE_FORMS.get(format)?.includes(name) === true

function readLogged(document: JsonObject, attestation: unknown): LoggedRecord | null {
  const { settlement: settled, organisation_log: log, public_log: published = null } = document
  if (!isJsonObject(attestation) || !isJsonObject(log)) return null
  if (!isObjectOrNull(settled) || !isObjectOrNull(published)) return null
  return { record: attestation, settlement: settled, organisationLog: log, publicLog: published }
}

const isObjectOrNull = (value: unknown): value is JsonObject | null => value === null || isJsonObject(value)

const DESCRIBED: Readonly<Record<Part, (logged: LoggedRecord) => string>> = {
  record: ({ record }) => printed(record, ['attestation_id', 'outcome', 'model', 'timestamp']),
  organisation_log: ({ record, organisationLog }) =>
    `${toPrintable(record['org_id'])}, ${describeLeaf(organisationLog)}`,
  public_log: ({ publicLog }) => `public log, ${describeLeaf(publicLog)}`,
  settlement: ({ settlement }) => `of leaf ${toPrintable(settlement?.['settles'])}`,
  keys: () => 'the bundle’s own list',
}

function describeLeaf(log: JsonObject | null): string {
  const proof = isJsonObject(log?.['proof']) ? log['proof'] : {}
  return `leaf ${toPrintable(proof['leaf_index'])} of ${toPrintable(proof['tree_size'])}`
}

const LINE_MEMBERS = [
  'object',
  'id',
  'created_at',
  'trace_id',
  'model',
  'provider',
  'outcome',
  'use_case',
  'approval_state',
  'attestation',
  'settlement',
  'acceptance',
  'organisation_log',
] as const

const RECEIPT_MEMBERS = [...LINE_MEMBERS, 'public_log', 'anchor', 'details', ...ISSUED_MEMBERS] as const

export function checkReceipt(receipt: JsonObject, options: CheckOptions): Finding[] {
  const { demo: _, ...unmarked } = receipt
  const { organisation_log: log, public_log: published, details } = receipt
  const id = toPrintable(receipt['id'])
  const isWhole = hasExactMembers(unmarked, RECEIPT_MEMBERS) && isJsonObject(log) && isObjectOrNull(published)
  if (!isWhole || !hasFittingDemoMark(receipt, orgIdIn(log['proof']))) return [notAReceipt(id)]
  const trust = pinnedTrustOf(options)
  const signed = judged('receipt', id, judgeIssuedDocument(receipt, trust, null), 'pinned')
  return [signed, ...(details === 'expired' ? [notProven(id, EXPIRED)] : checkParts(receipt, trust, null))]
}

const orgIdIn = (proof: unknown): unknown => (isJsonObject(proof) ? proof['org_id'] : undefined)

/** Checks a line of an export. Its proof leads to the export's head, and its keys must be valid by the export's own list. */
export function checkReceiptLine(
  receipt: JsonObject,
  { head, list }: { head: JsonObject; list: KeyList },
  trust: PinnedTrust,
): Finding[] {
  const { organisation_log: log } = receipt
  if (!hasExactMembers(receipt, LINE_MEMBERS) || !isJsonObject(log) || Object.hasOwn(log, 'head')) {
    return [notAReceipt(toPrintable(receipt['id']))]
  }
  return checkParts({ ...receipt, organisation_log: { ...log, head } }, trust, list)
}

function checkParts(receipt: JsonObject, trust: PinnedTrust, list: KeyList | null): Finding[] {
  const id = toPrintable(receipt['id'])
  const logged = readLogged(receipt, receipt['attestation'])
  const call = { document: receipt, trust, list, describe: () => id }
  if (logged !== null && isObjectOrNull(receipt['acceptance'])) {
    return run(list === null ? CHECKS.receipt : CHECKS.line, { ...logged, ...call })
  }
  const absent = receipt['attestation'] === null ? notProven(id, UNSIGNED) : notAReceipt(id)
  return [absent, ...(list === null ? [checkItsAnchor(call)] : checkExportKeys(call))]
}

const notAReceipt = (id: string): Finding =>
  judged('receipt', id, {
    code: 'not_a_receipt',
    reason: 'Its members are not exactly those of a medical receipt.',
  })

const notProven = (id: string, reason: string): Finding => judged('receipt', id, unproven(reason))

const UNSIGNED = 'It has no record in it, so nothing shows what was decided.'

const EXPIRED =
  'Its details have expired. Check your own copy of the record, with the proof and the head in it as --proof and --head.'

/** The verdicts on the record and on its position in each log, under some trust. */
type JudgedParts = { record: Fault | null; organisationLog: JudgedLog; publicLog: JudgedLog | null }

function judgeParts({ record, ...logs }: LoggedRecord, trust: PinnedTrust): JudgedParts {
  const organisationLog = judgeLog(logs.organisationLog, { record, isPublic: false }, trust)
  const publicLog = logs.publicLog && judgeLog(logs.publicLog, { record, isPublic: true }, trust)
  const isIncluded = organisationLog.fault === null || publicLog?.fault === null
  const verdict = verifyRecord(record, trust, { isIncluded })
  return { record: verdict.valid ? null : faultOf(VERIFY_FAULTS, verdict.fault), organisationLog, publicLog }
}

type CheckInput = Parameters<Check>[0]

/** Checks that a trusted key signed the record. */
function checkRecord({ parts, describe }: CheckInput): Finding {
  return judged('record', describe('record'), parts.record)
}

/** Checks that the record's id and its settlement commit to the facts. */
function checkItsFacts({ document: { facts, format }, record, settlement }: CheckInput): Finding[] {
  const content = isJsonObject(settlement?.['content']) ? settlement['content'] : null
  return checkFacts({
    facts: isJsonObject(facts) ? facts : null,
    isOld: !hasMember(format, 'facts'),
    record,
    content,
  })
}

/** Checks the coverage entry that the facts name. Facts that are left out name none. */
function checkItsCoverage({ document: { facts, coverage }, record, parts }: CheckInput): Finding[] {
  const organisation = parts.organisationLog
  return checkCoverage(isJsonObject(coverage) ? coverage : null, {
    facts: isJsonObject(facts) ? facts : null,
    judge: (entry) => judgeEntry(entry, 'coverage', { record, organisation }),
  })
}

/** Checks that the record is in the tree of a signed head of the organisation's log. */
function checkOrganisationLog({ parts, describe }: CheckInput): Finding {
  return judged('organisation_log', describe('organisation_log'), parts.organisationLog.fault)
}

/** Checks that the record is in the tree of a signed head of the public log. */
function checkPublicLog({ parts: { publicLog }, describe }: CheckInput): Finding[] {
  return publicLog === null ? [] : [judged('public_log', describe('public_log'), publicLog.fault)]
}

/** Checks that the settlement is in the same tree, settles this record, and says well what was read of the answer. */
function checkSettlement({ document, record, settlement, parts, list, describe }: CheckInput): Finding[] {
  if (settlement === null) return []
  const hasAnswerSalt = hasMember(document['format'], 'facts')
  const fault = judgeSettlement(settlement, { record, organisation: parts.organisationLog, hasAnswerSalt })
  const { content } = settlement
  const scanned = fault === null && isJsonObject(content) ? checkAnswerScan(content, list !== null) : []
  return [judged('settlement', describe('settlement'), fault), ...scanned]
}

/** Checks that the salt is the one that the settlement commits to. Without it, a changed salt would make a true answer wrong. */
function checkAnswerSalt({ settlement }: CheckInput): Finding[] {
  const { content, answer_salt: salt = null } = settlement ?? {}
  const answer = isJsonObject(content) ? content['answer'] : null
  if (salt === null || !isJsonObject(answer) || isSaltOf(salt, answer)) return []
  return [judged('bundle', 'answer_salt', partFault('answer_salt_mismatch'))]
}

/**
 * Checks that everything that the caller trusts is valid by the bundle's own list too. The list can only take trust away: it may
 * show, for example, that the service revoked a pinned key.
 */
function checkOwnKeys({ document: { keys }, parts, describe, ...call }: CheckInput): Finding {
  const read = readKeyList(isJsonObject(keys) ? keys : {})
  if (!read.ok) return judged('keys', describe('keys'), faultOf(KEY_LIST_FAULTS, read.fault))
  const byList = judgeParts(call, { keys: [], list: read.keys })
  const fault =
    (parts.record === null ? byList.record : null) ??
    (parts.organisationLog.fault === null ? byList.organisationLog.fault : null) ??
    (parts.publicLog?.fault === null ? (byList.publicLog?.fault ?? null) : null)
  const reason = `By the bundle’s own list of keys: ${fault?.reason}`
  return judged('keys', describe('keys'), fault && { code: fault.code, reason })
}

/** Checks that the keys of the record and of people's decisions are valid by the export's own list. */
function checkExportKeys({ document: { id, attestation, acceptance }, list }: Pick<Call, 'document' | 'list'>) {
  const { subject = null, records = [] } = isJsonObject(acceptance) ? acceptance : {}
  const signed: readonly unknown[] = [attestation, subject, ...(Array.isArray(records) ? (records as unknown[]) : [])]
  return signed.filter(isJsonObject).flatMap((each) => {
    // Counts as included, because the export is signed as a whole.
    const fault = list && judgeKeyByList(each, list, { isIncluded: true })
    return fault === null ? [] : [judged('keys', toPrintable(id), fault)]
  })
}

/** The members that repeat one of the record, and its name there. */
const REPEATED = [
  ['id', 'attestation_id'],
  ['created_at', 'timestamp'],
  ['trace_id', 'trace_id'],
  ['model', 'model'],
] as const

/** Checks the members that repeat the record. For the others there is only the word of the receipt's signer. */
function checkMembers({ document: receipt, record, describe }: CheckInput): Finding[] {
  const differing: string[] = REPEATED.filter(([own, signed]) => receipt[own] !== record[signed]).map(([own]) => own)
  if (!OUTCOMES.some((one) => one === receipt['outcome'] && signedOutcomeOf(one) === record['outcome']))
    differing.push('outcome')
  const fault = { code: 'members_differ', reason: `It contradicts the record in it: ${differing.join(', ')}.` }
  return differing.length === 0 ? [] : [judged('receipt', describe('record'), fault)]
}

/** Checks that people approved the call, if the record says that they had to. */
function checkItsApproval({ document: { acceptance, approval_state: state }, record, trust }: CheckInput): Finding[] {
  return checkApproval({ record, state, acceptance: isJsonObject(acceptance) ? acceptance : null }, trust)
}

/** Checks that the public log has an anchor of the organisation's log. */
function checkItsAnchor({ document, trust }: Pick<Call, 'document' | 'trust'>): Finding {
  const { organisation_log: log, public_log: publicLog, settlement, keys, anchor } = document
  const head = isJsonObject(log) ? log['head'] : undefined
  const listed = isJsonObject(keys) ? keys['keys'] : undefined
  return checkAnchor(anchor, { head, last: lastLeafOf([log, settlement]), keys: listed, publicLog }, trust)
}
