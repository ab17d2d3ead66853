// A caller's copy of an answer beside the evidence of its call: forgeries by the names of the published list, and honest copies.
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { encodeEntry } from '../../../../src/evidence/entry.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import { describeDecision, signRecord } from '../../../../src/evidence/records/attestation-record.ts'
import { answerMember } from '../../../../src/evidence/records/answer-outline.ts'
import { commitToFacts } from '../../../../src/evidence/records/facts-commitment.ts'
import { signOrganisationHead } from '../../../../src/evidence/records/tree-head.ts'
import { readAnswerCheck } from '../../../../src/evidence/verify/check-answer.ts'
import { checkBundle } from '../../../../src/evidence/verify/check-call-evidence.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import type { Finding } from '../../../../src/evidence/verify/verification-finding.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import {
  answer,
  FACTS,
  growTree,
  leafOfRecord,
  makeRecord,
  oldKey,
  OWN,
  publishedKey,
} from '../../../fixtures/evidence/invented-evidence.ts'
import answersFile from '../../../fixtures/facts/answers.json'
import forgeriesFile from '../../../fixtures/facts/forgeries.json'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const vectorOf = (wanted: string) => answersFile.vectors.find(({ name }) => name === wanted) ?? answer
const REFUSED = { ...FACTS, reason: 'identifiers_found' }

type Call = {
  facts?: typeof FACTS | typeof REFUSED
  content?: object | null
  policies?: string[]
  isAnswered?: boolean
}

/** The bundle of one call, signed and logged whatever it says: an issuer may lie in all of it. */
async function makeBundle({ facts = FACTS, content = {}, policies = ['loop_guard'], isAnswered = true }: Call = {}) {
  const commitment = commitToFacts(facts)
  const decision = {
    attestationId: commitment.attestationId,
    organisationId: OWN,
    requestHash: 'a'.repeat(64),
    model: 'invented-model',
    outcome: facts.reason === null ? ('ALLOWED' as const) : ('BLOCKED' as const),
    policies,
    costPreventedMicroeur: 0,
    decidedAt: Date.parse(FACTS.at),
  }
  const record = await signRecord(describeDecision(decision, oldKey.publicKey), oldKey)
  const settled = {
    settles: 0,
    ended: 'completed',
    cost_microeur: 15,
    facts_sha256: commitment.sha256,
    ...(isAnswered && { answer: answerMember(answer) }),
    ...content,
  }
  const entry = encodeEntry('settlement', settled)
  const tree = growTree([leafOfRecord(record), hashLeaf(entry)])
  const proofOf = (index: number) => ({ v: 1, org_id: OWN, ...tree.inclusion(index) })
  return {
    format: 'countersign-evidence-v2',
    record,
    facts,
    settlement: content && {
      settles: 0,
      content: settled,
      entry: encodeBase64url(entry),
      proof: proofOf(1),
      answer_salt: answer.salt,
    },
    organisation_log: {
      head: await signOrganisationHead({ orgId: OWN, treeSize: tree.size, root: tree.root() }, oldKey),
      proof: proofOf(0),
    },
    public_log: null,
    keys: { keys: [publishedKey(oldKey)] },
  }
}

const bundle = await makeBundle()
/** A stream that ends with an error, after another text. */
const brokenOff = `${vectorOf('chat, stream of the same').answer.replace('two', 'ten')}data: {"error":{}}\n\n`
const committedTooMuch = await makeBundle({ content: { answer: { ...answerMember(answer), text: '' } } })
const uncommitted = await makeBundle({ isAnswered: false })
const blocked = await makeBundle({ facts: REFUSED, content: null, policies: ['pii_scan'] })

/** Returns the code of the finding on the answer, or its subject if it is valid. */
function judge(document: object, copy: object | string): string {
  const found = findingsOn(document, copy).findLast(({ kind }) => kind === 'answer')
  return found?.valid === true ? found.subject : (found?.code ?? 'none')
}

function findingsOn(document: object, copy: object | string): Finding[] {
  const parsed = readJsonObject(bytesOf(JSON.stringify(document)))
  const read = readAnswerCheck(bytesOf(typeof copy === 'string' ? copy : JSON.stringify(copy)))
  if (!parsed.readable || 'fault' in read) throw new Error('unreadable')
  const options = { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] }, answer: read.check }
  return checkBundle(parsed.object, options)
}

const aqta = (record: object, members: object = {}) => ({
  trace_id: bundle.record.trace_id,
  cost_eur: 0.000015,
  provider: 'openai',
  status: 'passed',
  cached: false,
  attestation: record,
  ...members,
})
const completion = JSON.parse(answer.answer) as JsonObject & { choices: [JsonObject & { message: JsonObject }] }
const [choice] = completion.choices
const copy = { ...completion, aqta: aqta(bundle.record) }
const saying = (members: object, outside: object = {}) => ({
  ...copy,
  choices: [{ ...choice, message: { ...choice.message, ...members }, ...outside }],
})
const text = String(choice.message['content'])
const call = (index: number) => ({
  index,
  id: 'call_1',
  type: 'function',
  function: { name: 'delete', arguments: '{}' },
})
const other = await makeRecord(OWN)

const error = (members: object, of: object = {}) => {
  const own = { ...aqta(blocked.record), attestation: undefined, attestation_id: blocked.record.attestation_id }
  const stated = { ...own, trace_id: blocked.record.trace_id, cost_eur: 0, provider: null, status: 'blocked', ...of }
  const inner = { message: 'No.', code: 'policy_blocked', policy: 'pii_scan', reason: 'identifiers_found', ...members }
  return { error: { ...inner, aqta: stated }, aqta: stated }
}

const withSalt = (salt: string | null) => ({ ...bundle, settlement: { ...bundle.settlement, answer_salt: salt } })

const cut = vectorOf('chat, stream cut after two pieces')
const cutBundle = await makeBundle({ content: { ended: 'failed', answer: answerMember(cut) } })
const ofCut = { ...cutBundle, settlement: { ...cutBundle.settlement, answer_salt: cut.salt } }
const [firstEvent = ''] = cut.answer.split('\n\n')

/** The forgeries that the check of the answer finds. check-bundle.test.ts has those of facts. */
const FORGED: Readonly<Record<string, readonly [bundle: object, copy: object | string]>> = {
  'answer: another text': [bundle, saying({ content: text.replace('two', 'ten') })],
  'answer: one space more': [bundle, saying({ content: `${text} ` })],
  'answer: text moved to the refusal': [bundle, saying({ content: null, refusal: text })],
  'answer: another model': [bundle, { ...copy, model: 'gpt-4o' }],
  'answer: another finish reason': [bundle, saying({}, { finish_reason: 'length' })],
  'answer: a tool call put in': [bundle, saying({ tool_calls: [call(0)] })],
  'answer: a second choice': [bundle, { ...copy, choices: [choice, { ...choice, index: 1 }] }],
  'answer: another cost': [bundle, { ...copy, aqta: aqta(bundle.record, { cost_eur: 0.000016 }) }],
  'answer: another provider': [bundle, { ...copy, aqta: aqta(bundle.record, { provider: 'anthropic' }) }],
  'answer: of another call': [bundle, { ...copy, aqta: aqta(other, { trace_id: other.trace_id }) }],
  'answer: its end and its finish taken off': [bundle, saying({ content: text.slice(0, 9) }, { finish_reason: null })],
  'bundle: another answer salt': [withSalt('f'.repeat(32)), copy],
  'bundle: answer salt null': [withSalt(null), copy],
  'refusal: another reason': [blocked, error({ reason: 'not_redactable' })],
  'refusal: another policy': [blocked, error({ policy: 'content_type_guard' })],
  'cut stream: the caller has less than was sent': [ofCut, `${firstEvent}\n\n`],
}

const ELSEWHERE = [
  'bundle: facts changed',
  'bundle: facts of another call',
  'bundle: salt and v taken out of the facts',
  'bundle: called v1, with facts',
  'bundle: blocked call, reason changed',
]

const published = forgeriesFile.forgeries.filter(({ name }) => /^(answer|bundle|refusal|cut stream):/.test(name))

it.each(published.filter(({ name }) => !ELSEWHERE.includes(name)))('the forgery “$name” is found', (forgery) => {
  const [document, forged] = FORGED[forgery.name] ?? [bundle, copy]
  expect(judge(document, forged)).toBe(forgery.expect)
})

it('has each published forgery here, or with the facts', () => {
  expect([...Object.keys(FORGED), ...ELSEWHERE].toSorted()).toEqual(published.map(({ name }) => name).toSorted())
})

describe('an answer that could be read in two ways', () => {
  const pieces = vectorOf('chat, stream of the same').answer
  const response = vectorOf('responses, stream of the same')
  const message = vectorOf('messages, stream of the same').answer

  it.each<[string, object, object | string]>([
    ['one index twice', bundle, { ...copy, choices: [choice, { index: 0, message: { content: '' } }] }],
    ['the index of a call twice', bundle, saying({ tool_calls: [call(0), call(0)] })],
    ['two forms of a call', bundle, saying({ tool_calls: [call(0)], function_call: { name: 'a' } })],
    ['a delta in one piece', bundle, saying({}, { delta: { content: 'No.' } })],
    ['a message in a stream', bundle, pieces.replace('"delta":{', '"message":{"content":""},"delta":{')],
    ['two formats', bundle, { ...copy, object: 'response', output: [] }],
    ['a message and a completion', bundle, { ...copy, type: 'message', content: [] }],
    ['two formats in a stream', bundle, `${pieces}${response.answer}`],
    ['a message beside a stream', bundle, `${pieces}${message}`],
    ['the blocks of a message in another order', bundle, message.replaceAll('"index":1', '"index":3')],
    ['text in a thought', bundle, message.replace('"type":"text","text":""', '"type":"thinking","thinking":""')],
    ['a message that begins with text', bundle, message.replace('"content":[]', '"content":[{}]')],
    ['a commitment with more', committedTooMuch, copy],
  ])('is malformed: %s', (_, document, forged) => {
    expect(judge(document, forged)).toBe('answer_malformed')
  })
})

describe('an honest copy', () => {
  const bytes = 'without usage, citations, searches, thinking, repeated request'
  const NO_AQTA = 'not compared: call, cost and provider, since it has no aqta'
  const NO_FACTS = 'not compared: provider and reason, since the bundle has no facts'

  it('is valid, and says what is not compared', () => {
    expect(judge(bundle, copy)).toBe(`1 choice, 37 bytes, ${bytes}`)
    expect(judge(bundle, completion)).toBe(`1 choice, 37 bytes, ${bytes}; ${NO_AQTA}`)
    expect(judge({ ...bundle, facts: null }, copy)).toBe(`1 choice, 37 bytes, ${bytes}; ${NO_FACTS}`)
    expect(judge(blocked, error({}))).toBe('error policy_blocked, without its message')
  })

  it('of an error of Messages has policy and reason in its details', () => {
    const { policy, reason, ...rest } = error({}).error
    const judged = (details: object) =>
      judge(blocked, { ...error({}), error: { ...rest, details: { policy, reason, ...details } } })
    expect(judged({})).toBe('error policy_blocked, without its message')
    expect(judged({ policy: 'content_type_guard' })).toBe('reason_differs')
    expect(judged({ reason: 'not_redactable' })).toBe('reason_differs')
  })

  it('of a stream of Messages has its record in the first event too', async () => {
    const stream = vectorOf('messages, stream of the same')
    const made = await makeBundle({ content: { answer: answerMember(stream) } })
    const own = { ...made, settlement: { ...made.settlement, answer_salt: stream.salt } }
    const begun = (record: object) =>
      stream.answer.replace('"content":[]', `"content":[],"aqta":${JSON.stringify({ attestation: record })}`)
    expect(judge(own, begun(made.record))).toContain('1 choice')
    expect(judge(own, begun(other))).toBe('answer_of_another_call')
  })

  it.each(answersFile.vectors)('of the vector “$name” is valid', async (vector) => {
    const made = await makeBundle({ content: { answer: answerMember(vector) } })
    expect(judge({ ...made, settlement: { ...made.settlement, answer_salt: vector.salt } }, vector.answer)).toContain(
      bytes,
    )
  })

  it.each<[string, (stream: string) => string]>([
    ['CR and LF', (stream) => stream.replaceAll('\n', '\r\n')],
    ['CR alone', (stream) => stream.replaceAll('\n', '\r')],
    ['a mark, a comment and other fields', (stream) => `\ufeff: hello\nid: 7\nevent: x\n${stream}`],
    ['data in two lines', (stream) => stream.replaceAll(',"created"', ',\ndata: "created"')],
    ['no blank line at its end, and no [DONE]', (stream) => stream.replace(/\n\ndata: \[DONE\]\s*$/, '')],
  ])('of a stream is read with %s', (_, change) => {
    expect(judge(bundle, change(vectorOf('chat, stream of the same').answer))).toContain('1 choice, 37 bytes')
  })

  it('of a cached answer has no provider and no cost', async () => {
    const made = await makeBundle({ content: { ended: 'cached', cost_microeur: 0 } })
    const cached = aqta(made.record, { provider: null, cost_eur: 0, cached: true })
    expect(judge(made, { ...copy, aqta: cached })).toContain('37 bytes')
  })
})

describe('the salt of an answer', () => {
  const faultsOf = (document: object, given: object | string) =>
    findingsOn(document, given).flatMap(({ kind, valid, code }) => (valid ? [] : [`${kind} ${code}`]))

  it.each([
    ['one digit', answer.salt.replace(/^./, 'f')],
    ['capitals', answer.salt.toUpperCase()],
    ['less', answer.salt.slice(2)],
  ])('that was changed is the fault of the bundle, and the true answer is not proven: %s', (_, salt) => {
    const faults = ['bundle answer_salt_mismatch', 'answer not_proven']
    expect(faultsOf(withSalt(salt), copy)).toEqual(faults)
    expect(faultsOf(withSalt(salt), saying({ content: 'Another.' }))).toEqual(faults)
  })

  it('is under no leaf in a settlement of before, so no other hash shows that the answer is wrong', async () => {
    const before = await makeBundle({ content: { answer: { v: 'answer-1', sha256: answer.sha256 } } })
    const salted = { ...before, settlement: { ...before.settlement, answer_salt: 'f'.repeat(32) } }
    expect(judge(before, copy)).toContain('37 bytes')
    expect(faultsOf(salted, copy)).toEqual(['answer not_proven'])
    expect(faultsOf(before, saying({ content: 'Another.' }))).toEqual(['answer not_proven'])
  })

  it('must be committed to by each settlement of the newer form, and by none of the older', async () => {
    const { v: _, ...hashes } = answerMember(answer)
    for (const [v, committed] of [
      ['answer-2', { sha256: answer.sha256 }],
      ['answer-1', hashes],
    ] as const) {
      const made = await makeBundle({ content: { answer: { v, ...committed } } })
      expect(judge(made, copy)).toBe('answer_malformed')
    }
  })
})

describe('what the evidence does not show', () => {
  it.each<[string, object, object | string]>([
    ['no settlement', { ...bundle, settlement: null }, copy],
    ['no hash', uncommitted, copy],
    ['a bundle that is forged itself', { ...bundle, record: { ...bundle.record, model: 'another' } }, completion],
    ['an error event and another text', bundle, brokenOff],
    ['an error without aqta', blocked, { error: { code: 'policy_blocked' } }],
    ['an error beside a text', blocked, { ...error({}), type: 'message', content: [{ type: 'text', text: 'No.' }] }],
  ])('is not proven: %s', (_, document, given) => {
    expect(judge(document, given)).toBe('not_proven')
  })

  it('is no error where the log says that an answer was sent', () => {
    const { trace_id, attestation_id } = bundle.record
    const own = { trace_id, attestation_id, status: 'passed', cost_eur: 0.000015 }
    expect(judge(bundle, error({ policy: undefined, reason: undefined }, own))).toBe('answer_mismatch')
  })
})

it('finds pieces that differ from the last event of a response, and a text that an SDK repeats', async () => {
  const stream = vectorOf('responses, stream of the same')
  const made = await makeBundle({ content: { answer: answerMember(stream) } })
  const own = { ...made, settlement: { ...made.settlement, answer_salt: stream.salt } }
  const forged = stream.answer.replace(/("type":"response.output_text.delta".*?"delta":")/, '$1Not ')
  expect(forged).not.toBe(stream.answer)
  expect(judge(own, forged)).toBe('answer_mismatch')
  const whole = JSON.parse(vectorOf('responses, whole').answer) as object
  expect(judge(own, { ...whole, output_text: 'Not so.' })).toBe('answer_mismatch')
})

describe('a settlement says what was read of the answer', () => {
  const FOUND = { coverage: 'full', found: { payment_card: 1, pps_number: 2 } }
  const scanned = async (answer_scan: unknown) => {
    const made = await makeBundle({ content: { answer_scan } })
    const { kind, valid, subject, code } = findingsOn(made, copy).find((one) => one.kind === 'answer_scan') ?? {}
    return { kind, valid, says: code ?? subject }
  }

  it.each<[string, unknown]>([
    ['full, 3 found, 2 taken out', { ...FOUND, redacted: 2 }],
    ['full, 3 found, 0 taken out', { ...FOUND, stopped: ['pps_number', 'payment_card'] }],
    ['partial, 0 found, 0 taken out', { coverage: 'partial', unread: ['sealed_thinking', 'too_long'] }],
    ['none, 3 found, 0 taken out', { ...FOUND, coverage: 'none', stopped: ['payment_card'] }],
    ['full, 0 found, 0 taken out', { coverage: 'full', stopped: ['too_long'] }],
    ['answers_not_searched', { coverage: 'none' }],
  ])('%s', async (says, scan) => {
    expect(await scanned(scan)).toEqual({ kind: 'answer_scan', valid: true, says })
  })

  it.each<[string, unknown]>([
    ['no object', 'full'],
    ['no coverage', {}],
    ['another coverage', { coverage: 'some' }],
    ['a member more', { coverage: 'full', values: [] }],
    ['counts that are negative', { coverage: 'full', found: { date: -1 } }],
    ['counts of nothing', { coverage: 'full', found: { date: 0 } }],
    ['counts that are texts', { coverage: 'full', found: { date: '1' } }],
    ['an empty member', { coverage: 'full', found: {} }],
    ['more taken out than found', { ...FOUND, redacted: 4 }],
    ['a text of what was taken out', { ...FOUND, redacted: '2' }],
    ['a stop for what was not found', { ...FOUND, stopped: ['iban'] }],
    ['a stop for a member of each object', { ...FOUND, stopped: ['constructor'] }],
    ['all read, and something unread', { coverage: 'full', unread: ['too_long'] }],
    ['something unread, which nothing is', { coverage: 'partial' }],
    ['unread parts out of order', { coverage: 'partial', unread: ['too_long', 'sealed_thinking'] }],
    ['an unread part twice', { coverage: 'partial', unread: ['too_long', 'too_long'] }],
    ['another unread part', { coverage: 'partial', unread: ['pictures'] }],
    ['no list', { coverage: 'partial', unread: 'too_long' }],
  ])('is malformed: %s', async (_, scan) => {
    expect(await scanned(scan)).toEqual({ kind: 'answer_scan', valid: false, says: 'answer_scan_malformed' })
  })

  it('and nothing, in an older one', () => {
    expect(findingsOn(bundle, copy).some(({ kind }) => kind === 'answer_scan')).toBe(false)
  })
})

describe('the answer of a call that the policy stopped', () => {
  const STOPPED = {
    ended: 'withheld',
    answer_scan: {
      coverage: 'none',
      found: { payment_card: 1, pps_number: 1 },
      stopped: ['pps_number', 'payment_card'],
    },
  }
  const policies = ['loop_guard', 'pii_scan', 'pii_scan.answers']
  const stopped = (content: object = {}, isAnswered = false) =>
    makeBundle({ content: { ...STOPPED, ...content }, policies, isAnswered })
  const REASON = 'found: pps_number, payment_card'
  const errorOf = ({ record }: { record: { trace_id: string; attestation_id: string } }, members: object = {}) => {
    const { trace_id, attestation_id } = record
    const own = { trace_id, attestation_id, status: 'passed', cost_eur: 0.000015, provider: 'openai' }
    return error({ code: 'answer_blocked', policy: 'pii_scan.answers', reason: REASON, ...members }, own)
  }

  it('is an error with the reason of the settlement', async () => {
    const made = await stopped()
    expect(judge(made, errorOf(made))).toBe('error answer_blocked, without its message')
    expect(judge(made, errorOf(made, { reason: 'found: pps_number' }))).toBe('reason_differs')
    expect(judge(made, errorOf(made, { policy: 'budget_guard' }))).toBe('reason_differs')
    expect(judge({ ...made, settlement: null }, errorOf(made))).toBe('not_proven')
    const tooLong = await stopped({ answer_scan: { coverage: 'none', stopped: ['too_long'] } })
    expect(judge(tooLong, errorOf(tooLong, { reason: 'not_searched: too_long' }))).toContain('answer_blocked')
  })

  it('is no error of a call that ended otherwise', async () => {
    const made = await stopped({ ended: 'completed' })
    expect(judge(made, errorOf(made))).toBe('reason_differs')
  })

  it('is the beginning of a stream, of which a copy may have less', async () => {
    const { answer: whole, salt } = cut
    const made = await stopped({ answer: answerMember(cut) })
    const own = { ...made, settlement: { ...made.settlement, answer_salt: salt } }
    expect(judge(own, `${whole}data: ${JSON.stringify({ error: { code: 'answer_blocked' } })}\n\n`)).toContain('choice')
    expect(judge(own, `${firstEvent}\n\n`)).toBe('not_proven')
  })
})

it('says of an answer without its bundle that only its record is proven', () => {
  const options = { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } }
  const codes = checkDocument(copy, options).map(({ valid, code }) => [valid, code])
  expect(codes).toEqual([
    [true, null],
    [true, 'only_the_record'],
  ])
})

it.each([
  ['not UTF-8', Uint8Array.of(0x7b, 0xff)],
  ['a member twice', bytesOf('{"a":1,"a":2}')],
  ['a member twice in an event', bytesOf('data: {"a":1,"a":2}\n\n')],
  ['NaN', bytesOf('data: {"a":NaN}\n\n')],
  ['a list', bytesOf('[]')],
  ['a text', bytesOf('Take two a day.')],
  ['an end and no event', bytesOf('data: [DONE]\n\n')],
])('cannot be read: %s', (_, bytes) => {
  expect(readAnswerCheck(bytes)).toHaveProperty('fault')
})
