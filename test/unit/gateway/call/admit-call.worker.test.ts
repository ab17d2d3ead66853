// When a request's text is scanned: not where the call is refused anyway, in slices where it is long, and only so much a minute.
import * as chat from '../operations/chat/reading.ts'
import * as responses from '../operations/responses/reading.ts'
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createDecideCall, factsOf } from '../../../../src/gateway/call/admit-call.ts'
import { createFairQueue, QUEUE_LIMITS } from '../../../../src/gateway/call/fair-queue.ts'
import { readChatRequest } from '../../../../src/gateway/operations/chat/read-chat-request.ts'
import { openAnswerMemory } from '../../../../src/gateway/memory/answer-memory.ts'
import { createMemoryPool, POOL_LIMITS } from '../../../../src/gateway/memory/memory-pool.ts'
import { StoredAnswersStore } from '../../../../src/gateway/replay/stored-answers.store.ts'
import { createScanner } from '../../../../src/gateway/scan/scan-request.ts'
import { createChatGate } from '../../../../src/organisation/admit/chat-gate.ts'
import { organisationOpener } from '../../../../src/organisation/organisation-client.ts'
import { systemAfter } from '../../../../src/platform/time.ts'
import type { AppContext } from '../../../../src/platform/context.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { renderError } from '../../../../src/platform/render-error.ts'
import { createApi } from '../../../../src/platform/router.ts'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import { foundOrganisation, type ChatKey } from '../../organisation/chat-organisation.ts'
import type { CallInput } from '../../../../src/gateway/call/prepare-call.ts'
import { refuseContent } from '../../../../src/policies/rules/content-type-guard.rule.ts'
import { parseEurRate } from '../../../../src/providers/call-cost.ts'
import { READ_CONTEXT } from '../../../fixtures/providers/models.ts'

const reachable = organisationOpener(env.ORGANISATIONS, false)
const world = { now: Date.now, after: systemAfter }
const act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' } as const

async function withPolicy(document: PolicyDocument, settings = {}): Promise<ChatKey> {
  const organisation = await foundOrganisation({ tier: 'enterprise', requests_per_minute: 30_000, ...settings })
  const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
  await object.policy.change({ document, ifVersion: null }, act)
  return await organisation.issueKey()
}

function openAsking(charactersPerMinute = QUEUE_LIMITS.charactersPerMinute, poolLimits = POOL_LIMITS) {
  const counts = { turns: 0, scans: 0, slices: 0 }
  const gate = createChatGate((address) => {
    counts.turns += 1
    return reachable(address)
  }, Date.now)
  const queue = createFairQueue({ ...world, limits: { ...QUEUE_LIMITS, charactersPerMinute } })
  const pool = createMemoryPool({ ...world, limits: poolLimits })
  const scan = createScanner({
    queue: {
      take(owner, characters) {
        const waitMs = queue.take(owner, characters)
        if (waitMs === 0) counts.scans += 1
        return waitMs
      },
      enter(owner) {
        const turns = queue.enter(owner)
        const next = async (): Promise<void> => {
          counts.slices += 1
          await turns.next()
        }
        return { ...turns, next }
      },
    },
    pool,
    refuse: async (c, key, fault) => {
      await gate.admitInvalid(c, key)
      return fault
    },
  })
  const eurRate = { numerator: 1n, denominator: 1n }
  const decide = createDecideCall({ gate, storedAnswers: new StoredAnswersStore(env.FILES), eurRate, scan })
  type Content = string | readonly object[]
  const call = async (key: ChatKey, content: Content, more: object = {}, signal?: AbortSignal): Promise<Response> => {
    const body = JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...more })
    const headers = new Headers({ 'content-type': 'application/json' })
    const input = readChatRequest(headers, new TextEncoder().encode(body), READ_CONTEXT)
    const answerMemory = openAnswerMemory(pool, key.organisationId)
    if (input instanceof AppError || answerMemory === null) throw new Error('the request cannot be asked')
    const facts = {
      route: 'createChatCompletion',
      useCase: null,
      cohort: null,
      dataRegion: null,
      approval: null,
      idempotencyKeyHash: null,
      publicKey: 'A'.repeat(43),
    } as const
    return await within(async (c) => (await decide(c, key, { ...facts, input, answerMemory })).admission, signal)
  }
  return { counts, call }
}

async function within(work: (c: AppContext) => Promise<object>, signal?: AbortSignal): Promise<Response> {
  const api = createApi()
  api.use(requestContext)
  api.onError(renderError)
  api.get('/', async (c) => c.json(await work(c)))
  return await api.fetch(
    new Request('http://countersign.test/', { signal: signal ?? null }),
    env,
    createExecutionContext(),
  )
}

const outcomeOf = async (response: Response): Promise<unknown> => (await response.json<{ outcome: string }>()).outcome

const LONG = 'A referral letter that nobody wrote, about a knee that nobody has, seen 12/03/1970. '.repeat(1_200)

describe('a request to an organisation that has texts scanned', () => {
  it('of a few words is decided in one turn, once the policy is known', async () => {
    const key = await withPolicy({ pii_scan: { default: 'redact' } })
    const { counts, call } = openAsking()
    await call(key, 'What is the capital of Ireland?')
    counts.turns = 0
    expect(await outcomeOf(await call(key, 'And of France?'))).toBe('admitted')
    expect(counts).toEqual({ turns: 1, scans: 2, slices: 0 })
  })

  it('of a long text is scanned in slices, after one look at whether it is refused anyway', async () => {
    const key = await withPolicy({ pii_scan: { default: 'redact' } })
    const { counts, call } = openAsking()
    await call(key, 'What is the capital of Ireland?')
    Object.assign(counts, { turns: 0, scans: 0 })
    expect(await outcomeOf(await call(key, LONG))).toBe('admitted')
    expect(counts).toMatchObject({ turns: 2, scans: 1 })
    expect(counts.slices).toBeGreaterThan(10)
  })

  it('has text files scanned as its other texts are, and they count within the minute', async () => {
    const key = await withPolicy({ pii_scan: { default: 'report' } })
    const data = `data:text/plain;base64,${new TextEncoder().encode(LONG).toBase64()}`
    const file = [{ type: 'file', file: { filename: 'a.txt', file_data: data } }]
    const model = { model: 'claude-sonnet-5' }
    const { counts, call } = openAsking(LONG.length * 2)
    await call(key, 'What is the capital of Ireland?', model)
    Object.assign(counts, { turns: 0, scans: 0, slices: 0 })
    expect(await outcomeOf(await call(key, file, model))).toBe('admitted')
    expect(counts).toMatchObject({ turns: 2, scans: 1 })
    expect(counts.slices).toBeGreaterThan(10)
    expect((await call(key, [...file, { type: 'text', text: 'What is it?' }], model)).status).toBe(503)
  })

  it.each<[string, PolicyDocument, object, string]>([
    ['a rule', { use_case_guard: { required: true } }, {}, 'policy_blocked'],
    ['its tier', {}, { tier: 'free', requests_per_minute: null }, 'model_not_allowed'],
    ['its budget', { budget_guard: { day_eur: 0 } }, {}, 'quota_exceeded'],
  ])('that %s refuses is not scanned, if it is long', async (_, rules, settings, outcome) => {
    const key = await withPolicy({ pii_scan: { default: 'redact' }, ...rules }, settings)
    const { counts, call } = openAsking()
    const model = outcome === 'model_not_allowed' ? 'gpt-5.6-sol' : 'gpt-4.1-mini'
    expect(await outcomeOf(await call(key, LONG, { model }))).toBe(outcome)
    expect(counts).toEqual({ turns: 1, scans: 0, slices: 0 })
  })

  it('that is a loop is not scanned, if it is long', async () => {
    const key = await withPolicy({ pii_scan: { default: 'redact' }, loop_guard: { repeats: 3 } })
    const { counts, call } = openAsking()
    const outcomes: unknown[] = []
    for (let time = 0; time < 4; time += 1) outcomes.push(await outcomeOf(await call(key, LONG)))
    expect(outcomes).toEqual(['admitted', 'admitted', 'loop_detected', 'loop_detected'])
    expect(counts.scans).toBe(2)
  })

  it('is scanned no further once its caller has left', async () => {
    const key = await withPolicy({ pii_scan: { default: 'redact' } })
    const { counts, call } = openAsking()
    await call(key, 'What is the capital of Ireland?')
    const leaving = new AbortController()
    leaving.abort()
    Object.assign(counts, { turns: 0, slices: 0 })
    expect((await call(key, LONG, {}, leaving.signal)).status).toBe(503)
    // It was looked at, and it is counted.
    expect(counts).toMatchObject({ turns: 2, slices: 1 })
  })

  it('is 503 where too many of its texts wait at once, and there is room again after them', async () => {
    const key = await withPolicy({ pii_scan: { default: 'report' } })
    const { call } = openAsking(QUEUE_LIMITS.charactersPerMinute, { ...POOL_LIMITS, ownerBytes: LONG.length * 2.5 })
    await call(key, 'What is the capital of Ireland?')
    const statuses = (await Promise.all([1, 2, 3].map(async () => await call(key, LONG)))).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 200, 503])
    expect(await outcomeOf(await call(key, LONG))).toBe('admitted')
  })

  it('is 503 where it has had too much scanned within a minute, and nobody else is', async () => {
    const key = await withPolicy({ pii_scan: { default: 'report' } })
    const other = await withPolicy({ pii_scan: { default: 'report' } })
    const { counts, call } = openAsking(LONG.length * 1.5)
    expect(await outcomeOf(await call(key, LONG))).toBe('admitted')
    const refused = await call(key, LONG)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(await refused.json()).toMatchObject({
      error: { code: 'service_unavailable', message: expect.stringContaining('more text in a minute') as string },
    })
    expect(await outcomeOf(await call(other, LONG))).toBe('admitted')
    expect(counts.scans).toBe(2)
  })
})

function contentOf(input: CallInput) {
  const eurRate = parseEurRate('0.9')
  if (eurRate === null) throw new Error('no rate')
  const route = 'createChatCompletion'
  const caller = {
    route,
    useCase: null,
    cohort: null,
    dataRegion: null,
    idempotencyKeyHash: null,
    approval: null,
  } as const
  return factsOf(input, { ...caller, insteadOf: null, scan: null, publicKey: '', eurRate }).content
}

describe('the content of a request', () => {
  it('is its texts by their characters, those of tools among them, and its tools', () => {
    const asked = chat.accepted(chat.mini({ tools: [chat.look] }))
    const characters = 'Hello'.length + 'look'.length + JSON.stringify(chat.look.function.parameters).length
    const content = { bytes: asked.outline.bytes, characters, texts: 1, images: 0, files: 0, tools: 1 }
    expect(contentOf(asked)).toEqual(content)
  })

  it('is no text where a request has only files and tools', () => {
    const file = { type: 'file', file: { file_data: `data:text/plain;base64,${btoa('Hello')}` } }
    const body = { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: [file] }], tools: [chat.look] }
    const content = contentOf(chat.accepted(body))
    expect(content).toMatchObject({ texts: 0, files: 1, tools: 1 })
    expect(refuseContent({ allow: ['file', 'tools'] }, { content })).toBeNull()
    expect(refuseContent({ max_text_characters: 'Hello'.length }, { content })).toBe('max_text_characters')
  })

  it.each([
    ['chat completions', chat.accepted({ ...chat.mini({ web_search_options: {} }), model: 'sonar-pro' })],
    ['responses', responses.accepted({ tools: [{ type: 'web_search' }] }, 'sonar-pro')],
  ])('has a search of the web as a tool, by %s', (_, input) => {
    const content = contentOf(input)
    expect(content.tools).toBe(1)
    expect(refuseContent({ allow: ['text'] }, { content })).toBe('tools_not_allowed')
    expect(refuseContent({ max_tools: 0 }, { content })).toBe('max_tools')
  })
})
