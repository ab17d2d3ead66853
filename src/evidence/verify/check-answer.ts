// Checks a caller's copy of an answer against the evidence of its call: is it the text that the log commits to, and does its
// `aqta` fit? The page loads this only for a copy.
import { readAnswerScan, stopReason } from '../records/answer-scan.ts'
import { WHOLE_ENDINGS } from '../records/call-endings.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { toEur } from '../../platform/money.ts'
import { canonicalJson, ifCanonical } from '../records/canonical-json.ts'
import { indexOf, objectsIn, type AnswerOutline } from '../records/answer-hasher.ts'
import { isSaltOf } from '../records/facts-commitment.ts'
import type { HashFunctions } from '../records/hash-functions.ts'
import { ANSWER_FORM, ANSWER_WITHOUT_SALT, answerHash, outlineOf, outlineOfEvents } from '../records/answer-outline.ts'
import { isHash } from '../tree/verify-proof.ts'
import { aqtasIn, hasError, readAnswerCopy, refusalIn, textMembersOf, type AnswerCopy } from './answer-copy.ts'
import { statusOf } from './check-document.ts'
import type { AnsweredCall, AnswerCheck } from './check-options.ts'
import { toPrintable } from './printable.ts'
import { faultOf, judged, passed, unproven, type Fault, type Finding } from './verification-finding.ts'
import { hasExactMembers } from '../records/member-names.ts'

export const ANSWER_FAULTS = {
  answer_of_another_call: 'Its aqta is about another call than the bundle.',
  answer_malformed: 'The settlement’s answer, or the copy, is not in its form.',
  answer_mismatch: 'It is not the answer that the settlement commits to.',
  cost_differs: 'Its cost is not that of the settlement.',
  provider_differs: 'Its provider is not that of the facts.',
  reason_differs: 'Its policy is not in the record, or its reason is not that of the facts or of the settlement.',
} as const

type AnswerFault = keyof typeof ANSWER_FAULTS

/** Reasons why an answer is not proven, though nothing says that it is wrong. */
const UNPROVEN = {
  evidence: 'The bundle is not valid itself, so it proves no answer.',
  call: 'It has no aqta, so nothing says of which call it is.',
  settlement: 'The bundle has no settlement, so nothing says how the call ended.',
  hash: 'The settlement commits to no answer.',
  salt: 'The bundle has no answer_salt, so the hash cannot be computed.',
  anotherSalt: 'The salt in the bundle is not the one that the log entry commits to.',
  uncommittedSalt: 'Its hash is another. The log entry commits to no salt, so the salt may be what was changed.',
  less: 'Its hash is another, but it may be less than was sent. The answer or its copy was cut.',
} as const

/** How an answer was found. `unknown`: what is missing in the bundle or in the copy for a comparison. */
type Verdict = Fault | { subject: string; unknown: readonly string[] }

const wrong = (code: AnswerFault): Fault => faultOf(ANSWER_FAULTS, code)

const notProven = (why: keyof typeof UNPROVEN): Fault => unproven(UNPROVEN[why])

/** Reads a copy. Returns its check, which a bundle's check calls, or why it cannot be read. */
export function readAnswerCheck(bytes: Uint8Array): { check: AnswerCheck } | { fault: string } {
  const read = readAnswerCopy(bytes)
  return 'fault' in read ? read : { check: (call, functions) => describe(judgeAnswer(read.copy, call, functions)) }
}

function describe(verdict: Verdict): Finding {
  if ('code' in verdict) return judged('answer', '', verdict)
  const { subject, unknown } = verdict
  return passed('answer', [subject, ...unknown.map((what) => `not compared: ${what}`)].join('; '))
}

function judgeAnswer(copy: AnswerCopy, call: AnsweredCall, functions: HashFunctions): Verdict {
  const aqtas = aqtasIn(copy)
  if (!aqtas.every((aqta) => isOfCall(aqta, call))) return wrong('answer_of_another_call')
  const error = refusalIn(copy)
  const verdict = error === null ? judgeText(copy, call, functions) : judgeError(error, aqtas, call)
  if ('code' in verdict) return verdict
  const fault = findCostFault(aqtas, call) ?? findProviderFault(aqtas, call)
  if (fault !== null) return wrong(fault)
  // SECURITY: a forged settlement could commit to any text.
  if (!call.isValid) return notProven('evidence')
  return { ...verdict, unknown: unknownOf(aqtas, call) }
}

/** SECURITY: every `aqta` of the copy must fit, since a reader may look at any of them. */
function isOfCall(aqta: JsonObject, { record }: AnsweredCall): boolean {
  const { attestation, attestation_id: id, trace_id: traceId, status } = aqta
  return (
    (traceId === undefined || traceId === record['trace_id']) &&
    (id === undefined || id === record['attestation_id']) &&
    (status === undefined || status === statusOf(record['outcome'])) &&
    (attestation === undefined || isSame(attestation, record)) &&
    [attestation, id, traceId].some((named) => named !== undefined)
  )
}

/** A record without canonical JSON is not the signed one. */
const isSame = (attestation: unknown, record: JsonObject): boolean =>
  ifCanonical(() => canonicalJson(attestation) === canonicalJson(record)) === true

function judgeText(copy: AnswerCopy, { content, salt }: AnsweredCall, functions: HashFunctions): Verdict {
  if (content === null) return notProven('settlement')
  if (!Object.hasOwn(content, 'answer')) return notProven('hash')
  const { answer, ended } = content
  if (!isCommitment(answer) || isAmbiguous(copy)) return wrong('answer_malformed')
  if (salt === null) return notProven('salt')
  // The bundle is at fault: see `checkAnswerSalt`.
  if (!isSaltOf(salt, answer)) return notProven('anotherSalt')
  const counted = { bytes: 0 }
  const outline = outlineOfCopy(copy, counting(functions, counted))
  if (outline !== null && answerHash(salt, outline) === answer['sha256']) {
    if (contradictsItself(copy)) return wrong('answer_mismatch')
    return { subject: subjectOf(outline, counted.bytes), unknown: [] }
  }
  const isLess =
    hasError(copy) ||
    hasNoEnd(outline) ||
    typeof ended !== 'string' ||
    !WHOLE_ENDINGS.some((ending) => ending === ended)
  if (isLess) return notProven('less')
  return answer['v'] === ANSWER_FORM ? wrong('answer_mismatch') : notProven('uncommittedSalt')
}

const isCommitment = (answer: unknown): answer is JsonObject =>
  [
    [ANSWER_FORM, 'sha256', 'salt_sha256'],
    [ANSWER_WITHOUT_SALT, 'sha256'],
  ].some(
    ([form, ...hashes]) =>
      hasExactMembers(answer, ['v', ...hashes]) && answer['v'] === form && hashes.every((name) => isHash(answer[name])),
  )

const hasNoEnd = (outline: AnswerOutline | null): boolean =>
  outline === null || outline.choices.some(({ finish_reason: reason }) => reason === '')

const outlineOfCopy = (copy: AnswerCopy, functions: HashFunctions): AnswerOutline | null =>
  copy.form === 'whole' ? outlineOf(copy.body, functions) : outlineOfEvents(copy.events, functions)

function counting({ sha256, beginSha256 }: HashFunctions, counted: { bytes: number }): HashFunctions {
  const count = (data: Uint8Array | string): void => {
    counted.bytes += typeof data === 'string' ? new TextEncoder().encode(data).length : data.length
  }
  return {
    sha256(data) {
      count(data)
      return sha256(data)
    },
    beginSha256() {
      const hashing = beginSha256()
      return {
        update(data) {
          count(data)
          hashing.update(data)
        },
        digestHex: () => hashing.digestHex(),
      }
    },
  }
}

const subjectOf = ({ choices }: AnswerOutline, bytes: number): string =>
  `${choices.length} ${choices.length === 1 ? 'choice' : 'choices'}, ${bytes} bytes, without usage, citations, searches, thinking, repeated request`

/**
 * True if the hash would cover another text than a reader sees. SECURITY: the hash joins all pieces of one index, takes `message`
 * before `delta`, looks at one format alone, and takes the blocks of a message in the order of its events.
 */
function isAmbiguous(copy: AnswerCopy): boolean {
  if (copy.form === 'events') {
    const formats = new Set(copy.events.map(formatOf).filter(Boolean))
    return formats.size > 1 || isMisplaced(copy.events) || copy.events.some((event) => hasMember(event, 'message'))
  }
  const { body } = copy
  if (textMembersOf(body).length > 1) return true
  const choices = objectsIn(body['choices'])
  return hasMember(body, 'delta') || hasTwice(choices) || choices.some((choice) => hasCallTwice(choice['message']))
}

function formatOf({ choices, type }: JsonObject): string | undefined {
  if (Array.isArray(choices)) return 'chat'
  return /^(?:response\.|message_|content_block_)/.exec(String(type))?.[0].replace('content_block', 'message')
}

/** True if a client of Messages would put a piece elsewhere than after the ones before it. */
function isMisplaced(events: readonly JsonObject[]): boolean {
  let place = -1
  let open: unknown = null
  return events.some(({ type, index, content_block: block, delta, message }) => {
    if (type === 'message_start') return isJsonObject(message) && objectsIn(message['content']).length > 0
    if (type === 'content_block_start' && isJsonObject(block)) {
      place += 1
      open = block['type']
    } else if (type !== 'content_block_delta') return false
    return index !== place || (isJsonObject(delta) && delta['type'] === 'text_delta' && open !== 'text')
  })
}

const hasMember = (body: JsonObject, name: 'message' | 'delta'): boolean =>
  objectsIn(body['choices']).some((choice) => choice[name] !== undefined)

function hasCallTwice(message: unknown): boolean {
  if (!isJsonObject(message)) return false
  const { tool_calls: calls, function_call: call } = message
  return hasTwice(objectsIn(calls)) || (isJsonObject(call) && objectsIn(calls).length > 0)
}

/** An object without an index has that of its place. */
const hasTwice = (indexed: readonly JsonObject[]): boolean => new Set(indexed.map(indexOf)).size < indexed.length

/**
 * True if the copy shows another text beside the one that is hashed. SECURITY: of a stream of a response only the last event is
 * hashed, but a reader sees the pieces before it. An SDK's object repeats its text as `output_text`.
 */
function contradictsItself(copy: AnswerCopy): boolean {
  if (copy.form === 'whole') {
    const { output, output_text: repeated } = copy.body
    return repeated !== undefined && output !== undefined && repeated !== textOfParts(output, 'output_text', 'text')
  }
  const last = copy.events.findLast(({ type }) => type === 'response.completed' || type === 'response.incomplete')
  if (!isJsonObject(last?.['response'])) return false
  const { output } = last['response']
  const shown = (kind: string): string =>
    copy.events
      .filter(({ type }) => type === `response.${kind}.delta`)
      .toSorted((first, second) => Number(first['output_index'] ?? 0) - Number(second['output_index'] ?? 0))
      .map(({ delta }) => textOf(delta))
      .join('')
  const called = objectsIn(output).map((item) => (item['type'] === 'function_call' ? textOf(item['arguments']) : ''))
  return !(
    textOfParts(output, 'output_text', 'text').startsWith(shown('output_text')) &&
    textOfParts(output, 'refusal', 'refusal').startsWith(shown('refusal')) &&
    called.join('').startsWith(shown('function_call_arguments'))
  )
}

const textOfParts = (output: unknown, type: string, member: string): string =>
  objectsIn(output)
    .filter((item) => item['type'] === 'message')
    .flatMap(({ content }) => objectsIn(content))
    .map((part) => (part['type'] === type ? textOf(part[member]) : ''))
    .join('')

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The error of a call with a record: its policy and reason, where it has them. Its message is under no hash. */
function judgeError(error: JsonObject, aqtas: readonly JsonObject[], call: AnsweredCall): Verdict {
  if (aqtas.length === 0) return notProven('call')
  const { record, facts, content } = call
  const { code } = error
  // An error of Messages has them in its details.
  const stated = [error, error['details']].filter(isJsonObject)
  const isReason = (expected: unknown): boolean =>
    stated.every(({ reason }) => reason === undefined || reason === expected)
  const applied: unknown = record['policy_applied']
  const isApplied = ({ policy }: JsonObject): boolean =>
    policy === undefined || (Array.isArray(applied) && applied.includes(policy))
  if (!stated.every(isApplied)) return wrong('reason_differs')
  if (code === 'answer_blocked') {
    if (content === null) return notProven('settlement')
    const { stopped = [] } = readAnswerScan(content) ?? {}
    if (content['ended'] !== 'withheld' || !isReason(stopReason(stopped))) return wrong('reason_differs')
  } else if (facts !== null && !isReason(facts['reason'])) return wrong('reason_differs')
  if (statusOf(record['outcome']) === 'passed') {
    if (content === null) return notProven('settlement')
    if (Object.hasOwn(content, 'answer')) return wrong('answer_mismatch')
  }
  return { subject: `error ${toPrintable(code)}, without its message`, unknown: [] }
}

function findCostFault(aqtas: readonly JsonObject[], { content }: AnsweredCall): AnswerFault | null {
  const cost = content === null ? 0 : content['cost_microeur']
  const isSameCost = ({ cost_eur: stated }: JsonObject): boolean =>
    stated === undefined || (typeof cost === 'number' && stated === toEur(cost))
  return aqtas.every(isSameCost) ? null : 'cost_differs'
}

function findProviderFault(aqtas: readonly JsonObject[], { facts }: AnsweredCall): AnswerFault | null {
  if (facts === null) return null
  const isSameProvider = ({ provider = null }: JsonObject): boolean =>
    provider === null || provider === facts['provider']
  return aqtas.every(isSameProvider) ? null : 'provider_differs'
}

function unknownOf(aqtas: readonly JsonObject[], { facts }: AnsweredCall): string[] {
  if (aqtas.length === 0) return ['call, cost and provider, since it has no aqta']
  return facts === null ? ['provider and reason, since the bundle has no facts'] : []
}
