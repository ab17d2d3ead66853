// Reads a referral: interprets the request, finds the answer, has the call admitted and recorded, then answers.
import { readBearerKey } from '../keys/bearer-key.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { EntryContent } from '../evidence/entry.ts'
import { assertAdmitted, type ReferralGate } from '../organisation/admit/referral-gate.ts'
import { isDeclaredOver, discardBody, readBodyBytes } from '../platform/request-body.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError, errorRow } from '../platform/errors.ts'
import { logUnexpected } from '../platform/log.ts'
import { decideFromReadings } from './decision.policy.ts'
import { replayReading, type Examples, type LoadExamples, type RecordedExample } from './examples/examples.ts'
import { holdAction, type HeldResponse } from './actions.ts'
import { interpretReferralRequest, type ReadRequest } from './referral-request.policy.ts'
import type { LiveReadingService } from './readers/live-reading.service.ts'
import type { ReadResponse } from './read.schema.ts'
import { notServedError, type CurrentDataset, type WaitingListService } from './waiting-lists/waiting-lists.service.ts'

const MAX_BODY_BYTES = 64 * 1024

type Deps = {
  gate: ReferralGate
  peppers: readonly Pepper[]
  waitingLists: Pick<WaitingListService, 'currentDataset'>
  loadExamples: LoadExamples
  /** Null if a reader's provider has no key; live readings are then off. */
  live: LiveReadingService | null
}

type Letter = Extract<ReadRequest, { kind: 'read' }>

type ServedDataset = Extract<CurrentDataset, { outcome: 'ok' }>

type Answer =
  | { kind: 'read'; body: ReadResponse }
  | { kind: 'held'; body: HeldResponse }
  | { kind: 'refused'; action: string | null; error: AppError; shapes?: readonly string[] }

export type ReadService = ReturnType<typeof createReadService>

export function createReadService({ gate, peppers, waitingLists, loadExamples, live }: Deps) {
  /** Returns the body of a 200 or 409. Throws every error of the route. */
  async function readReferral(c: AppContext): Promise<Exclude<Answer, { kind: 'refused' }>> {
    const key = readBearerKey(c, 'referral', peppers)
    await throwRememberedRefusal(c, key)
    const bytes = await readBodyBytes(c.req.raw, MAX_BODY_BYTES)
    const examples = key.prefix === 'vk_live_' ? null : await readExamples(c)
    const findExample = (text: string): RecordedExample | null => examples?.match(text) ?? null
    const request = bytes === null ? oversized() : interpretReferralRequest(c.req.raw.headers, bytes, findExample)
    const answer = await answerRequest(c, key, request, examples)
    // A live reading records itself before it begins and when it ends.
    if (answer.kind !== 'read' || answer.body.sandbox) await recordAnswer(c, key, request, answer)
    if (answer.kind === 'refused') throw answer.error
    c.get('logged').outcome = answer.body.decision
    return answer
  }

  /** Throws a refusal that the gate remembers for the key, before the body is read. Only an oversized body outranks a limit. */
  async function throwRememberedRefusal(c: AppContext, key: ParsedKey): Promise<void> {
    const refusal = gate.recall(c, key)
    if (refusal === null) return
    await discardBody(c.req.raw)
    const isLimit = refusal.outcome === 'rate_limit_exceeded'
    if (isLimit && isDeclaredOver(c.req.raw, MAX_BODY_BYTES)) throw tooLarge()
    assertAdmitted(refusal)
  }

  /** Returns null if the examples cannot be read. */
  async function readExamples(c: AppContext): Promise<Examples | null> {
    try {
      return await c.get('timings').measure('storage', loadExamples)
    } catch (thrown) {
      logUnexpected(thrown, c.get('requestId'))
      return null
    }
  }

  async function answerRequest(
    c: AppContext,
    key: ParsedKey,
    request: ReadRequest,
    examples: Examples | null,
  ): Promise<Answer> {
    if (request.kind === 'refused') return request
    if (request.kind === 'held') return { kind: 'held', body: holdAction(request.action) }

    const dataset = await c.get('timings').measure('storage', () => waitingLists.currentDataset())
    if (dataset.outcome !== 'ok') return refuse(request.action, notServedError(dataset))
    if (key.prefix !== 'vk_live_') {
      if (examples === null) return refuse(request.action, examplesUnread())
      return replayExample(request, dataset)
    }
    if (live === null) return refuse(request.action, liveNotConfigured())
    return { kind: 'read', body: await live.readLive(c, key, { ...request, dataset }) }
  }

  async function recordAnswer(c: AppContext, key: ParsedKey, request: ReadRequest, answer: Answer): Promise<void> {
    const entry = logEntryContent(c, key, answer)
    const isReading = request.kind === 'read' && answer.kind === 'read'
    const admission = await gate.admit(c, key, {
      scope: 'referral:read',
      entry: entry === null ? null : { kind: 'referral_decision', content: entry },
      idempotencyKeyHash: isReading ? request.idempotencyKeyHash : null,
    })
    // An oversized body outranks a limit, and a bad key outranks both.
    const tooLarge = answer.kind === 'refused' && answer.error.code === 'payload_too_large'
    if (tooLarge && admission.outcome === 'rate_limit_exceeded') throw answer.error
    assertAdmitted(admission)
  }

  return { readReferral }
}

/**
 * Returns the log's details of a decision: the key, the action, the decision, and the shapes of refused identifiers. SECURITY:
 * never the text, the specialty or the name of an unknown action, which is the caller's text. Returns null for a body that cannot
 * be understood, because it decides nothing.
 */
function logEntryContent(c: AppContext, key: ParsedKey, answer: Answer): EntryContent | null {
  const requestMembers = { request_id: c.get('requestId'), sandbox: key.prefix === 'vk_test_' }
  if (answer.kind === 'refused') {
    const { code } = answer.error
    if (code !== 'unknown_action' && code !== 'identifier_found') return null
    const refused = { action: answer.action, decision: 'refused', code, status: errorRow(code).status }
    return { ...requestMembers, ...refused, ...(answer.shapes === undefined ? {} : { shapes: answer.shapes }) }
  }
  const { action, decision } = answer.body
  if (answer.kind === 'held') return { ...requestMembers, action, decision, status: 409 }
  return { ...requestMembers, action, decision, status: 200, dataset: answer.body.datasetVersion.hash }
}

function replayExample({ action, example }: Letter, { version, specialties }: ServedDataset): Answer {
  if (example === null) return refuse(action, notAnExample())
  const { readers, twoProblems } = replayReading(example.reading, specialties)
  const decision = decideFromReadings(readers, twoProblems)
  return { kind: 'read', body: { action, ...decision, readers, sandbox: true, datasetVersion: version } }
}

const refuse = (action: string, error: AppError): Answer => ({ kind: 'refused', action, error })

const oversized = (): ReadRequest => ({ kind: 'refused', action: null, error: tooLarge() })

const tooLarge = (): AppError =>
  new AppError('payload_too_large', 'The body is over 64 KiB. Send a letter of at most 4,000 characters.')

const liveNotConfigured = (): AppError =>
  new AppError(
    'service_unavailable',
    'Live readings are off at this address. Use a sandbox key and an example letter of /v1/examples.',
  )

const examplesUnread = (): AppError =>
  new AppError('service_unavailable', 'The example letters cannot be read at this moment. Try again.')

const notAnExample = (): AppError =>
  new AppError(
    'not_an_example',
    'A sandbox key reads only the example letters. Send the text of one (GET /v1/examples), unchanged.',
    { param: 'text' },
  )
