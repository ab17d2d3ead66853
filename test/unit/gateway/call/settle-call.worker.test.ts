// A call is settled once, whatever becomes of it.
import { chatAnswerFormat } from '../../../../src/gateway/operations/chat/chat-answer-format.ts'
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { AdmittedCall } from '../../../../src/gateway/call/admit-call.ts'
import type { ErrorAqta } from '../../../../src/gateway/call/trace.ts'
import { noneAsked, type Asked } from '../../../../src/gateway/call/asked-routes.ts'
import { billCall, NOTHING_PRODUCED, type ProducedOutput } from '../../../../src/gateway/call/bill.ts'
import { concludeCall, type Ending } from '../../../../src/gateway/call/conclude-call.ts'
import { settleWhenEnded, type SettleDeps } from '../../../../src/gateway/call/settle-call.ts'
import { answerStreamed } from '../../../../src/gateway/call/streamed-answer.ts'
import { answerWhole } from '../../../../src/gateway/call/whole-answer.ts'
import type { ChatSettled, ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import type { AppContext } from '../../../../src/platform/context.ts'
import { renderError } from '../../../../src/platform/render-error.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import type { StreamBatches, OpenStream } from '../../../../src/providers/provider-client.ts'
import { parseEurRate } from '../../../../src/providers/call-cost.ts'
import { mostUsageUpFront } from '../../../../src/providers/estimate-tokens.ts'
import { upstreamFailure, type Failure } from '../../../../src/providers/failure.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { INVENTED_RECORD } from '../../../fixtures/attestation/invented-record.ts'
import { answerHashOf } from '../../../support/independent/answer-recipe.ts'
import { modelNamed, pricesOf } from '../../../fixtures/providers/models.ts'

const eurRate = parseEurRate('1')
if (eurRate === null) throw new Error('not a rate')

const model = modelNamed('gpt-4.1-mini')
const prices = pricesOf('gpt-4.1-mini')
const route = {
  model,
  prices,
  upFront: mostUsageUpFront({ messages: [textMessage('user', 'Hello')] }, model, prices),
}

const call: AdmittedCall = {
  adapted: [],
  isLoop: false,
  claim: null,
  reader: null,
  recorder: null,
  memory: { grow: () => true, resize: () => true, keep: () => true, watch: () => undefined, release: () => undefined },
  key: {
    prefix: 'aqta_',
    jurisdiction: 'eu',
    organisationId: 'org_1',
    keyId: 'key_1',
    secretHash: new Uint8Array(32),
  },
  outline: {
    model,
    routes: [route],
    hashes: { requestHash: '', loopHash: '' },
    bytes: 5,
    inputTokens: 8,
    chat: { maxTokens: null, choices: 1, hasSchema: false, temperature: null },
  },
  allowed: [{ ...route, access: { baseUrl: 'https://provider.test', apiKey: 'k' } }],
  dataRegion: 'any',
  format: chatAnswerFormat({ includeUsage: false }),
  maxTokens: 1000,
  cacheInstructions: false,
  mostOutputTokens: 1000,
  traceId: INVENTED_RECORD.trace_id,
  attestation: INVENTED_RECORD,
  position: 7,
  factsSha256: '0'.repeat(64),
  retentionDays: 30,
  eurRate,
  startedAt: 0,
  content: null,
}

const asked = { ...call, routes: noneAsked(call.allowed) }

/** Resolves to the answer of its first route. */
const askedFor = <T>(outcome: T): Promise<Asked<T>> => Promise.resolve({ outcome, routes: asked.routes })

/** The ending of a call that failed so, or of a whole one. */
const endingOf = (failure: Failure | null, produced: ProducedOutput = NOTHING_PRODUCED): Ending =>
  concludeCall(asked, billCall(asked, produced, failure, call.eurRate), { ...told, failure })

const told = { attempts: 1, upstreamMs: 12.4, upstreamRequestId: null }

type Answered = { response: Response; settled: ChatSettlement[]; noted: number[] }

type Handling = { keepAliveMs?: number; whenAnswered?: () => void; outcome?: ChatSettled | null }

/** Handles a call like this. Returns what was answered, each settlement, and the costs that were reported before. */
async function handle(
  work: (c: AppContext, deps: SettleDeps) => Response | Promise<Response>,
  { keepAliveMs = 60_000, whenAnswered, outcome = null }: Handling = {},
): Promise<Answered> {
  const settled: ChatSettlement[] = []
  const noted: number[] = []
  const gate = {
    noteChatCost: async (_: unknown, { costMicroeur }: { costMicroeur: number }) => void noted.push(costMicroeur),
    async settleChat(_: unknown, settlement: ChatSettlement) {
      settled.push(settlement)
      return outcome
    },
  }
  const limits = { headersMs: 1, silenceMs: 1, totalMs: 1, stallMs: 1, keepAliveMs }
  const api = createApi()
  api.use(requestContext)
  api.onError(renderError)
  api.get('/', (c) => work(c, { gate, limits }))
  const ctx = createExecutionContext()
  const response = await api.fetch(new Request('http://countersign.test/'), env, ctx)
  whenAnswered?.()
  const body = await response.text()
  await waitOnExecutionContext(ctx)
  return { response: new Response(body, response), settled, noted }
}

const settlementsOf = async (ending: Promise<Ending>): Promise<ChatSettlement[]> => {
  const { settled } = await handle(async (c, deps) => {
    await settleWhenEnded(c, call, ending, deps)
    return c.text('answered')
  })
  return settled
}

describe('a call', () => {
  it('that ends is settled as it ended', async () => {
    const failure = upstreamFailure('cut')
    const produced = { ...NOTHING_PRODUCED, servedModel: 'another-model' }
    const ending = endingOf(failure, produced)
    const facts = { position: 7, ended: 'failed', errorCause: 'cut', servedModel: 'another-model' }
    expect(await settlementsOf(Promise.resolve(ending))).toEqual([
      expect.objectContaining({ ...facts, estimated: true, upstreamMs: 12 }),
    ])
  })

  it.each([
    ['has its answer deleted where nothing waited to be settled', { outcome: 'not_open' }, 1],
    ['keeps it where it was settled', { outcome: 'settled', position: 8, isContentKept: false }, 0],
    ['keeps it where nobody knows', null, 0],
  ] as const)('%s', async (_, outcome, discarded) => {
    let discards = 0
    const recorder: AdmittedCall['recorder'] = {
      begin: () => undefined,
      add: () => undefined,
      recordError: () => undefined,
      put: async () => true,
      discard: async () => void (discards += 1),
      plan: { place: { name: '', key: new Uint8Array(32), expiresAt: 0 }, isReplayed: true, cacheEntry: null },
    }
    const ending = endingOf(null)
    const answer = async (c: AppContext, deps: SettleDeps) => {
      await settleWhenEnded(c, { ...call, recorder }, Promise.resolve(ending), deps)
      return c.text('answered')
    }
    await handle(answer, { outcome })
    expect(discards).toBe(discarded)
  })

  it('says where it is certain that it reached no provider', () => {
    const failures = [upstreamFailure('unreachable', { billed: 'no' }), upstreamFailure('rate', { billed: 'no' }), null]
    const settled = failures.map((failure) => endingOf(failure).settlement)
    expect(settled.map(({ isUnreached }) => isUnreached)).toEqual([true, false, false])
  })

  it('that no provider was asked about has no time', async () => {
    const opened: OpenStream = { ok: false, failure: upstreamFailure('deadline', { billed: 'no' }), ms: 0, attempts: 0 }
    const { settled } = await handle((c, deps) => answerStreamed(c, call, askedFor(opened), deps))
    expect(settled).toMatchObject([{ ended: 'failed', upstreamMs: null }])
  })

  it('that its caller left is settled as cancelled', async () => {
    const ending = endingOf(upstreamFailure('caller'))
    expect(await settlementsOf(Promise.resolve(ending))).toMatchObject([{ ended: 'cancelled', errorCause: 'caller' }])
  })

  it('that a fault of our own ends is settled too, as what it may have cost', async () => {
    const settled = await settlementsOf(Promise.reject(new Error('a bug')))
    expect(settled).toMatchObject([
      { position: 7, ended: 'failed', errorCause: 'internal', estimated: true, upstreamMs: null },
    ])
    expect(settled[0]?.costMicroeur).toBeGreaterThan(0)
  })
})

describe('a stream', () => {
  const opening = { isPassed: false, closed: Promise.resolve(), ms: 1, attempts: 1, upstreamRequestId: null }
  const text = 'a word of text '.repeat(400)

  async function* batches(): StreamBatches {
    for (let batch = 0; batch < 3; batch += 1) {
      yield [{ raw: new Uint8Array(0), data: 'x', events: [{ type: 'text', choice: 0, text }] }]
    }
    yield [
      { raw: new Uint8Array(0), data: 'x', events: [{ type: 'finish', choice: 0, reason: 'stop' }, { type: 'end' }] },
    ]
  }

  const costsNoted = async (keepAliveMs: number) => {
    const opened: OpenStream = { ok: true, batches: batches(), ...opening }
    return handle((c, deps) => answerStreamed(c, call, askedFor(opened), deps), { keepAliveMs })
  }

  it('reports what it costs so far, for the case that nobody can settle it', async () => {
    const { noted, settled } = await costsNoted(0)
    expect(noted.length).toBe(3)
    expect(noted).toEqual(noted.toSorted((one, other) => one - other))
    expect(noted[0]).toBeGreaterThan(0)
    expect(noted.at(-1)).toBe(settled[0]?.costMicroeur)
  })

  it('reports nothing where it ends soon', async () => {
    expect((await costsNoted(60_000)).noted).toEqual([])
  })
})

describe('a fault of our own after the decision was recorded', () => {
  type Failed = { error: { code: string; aqta: ErrorAqta }; aqta: ErrorAqta }
  const bug = (): Promise<never> => Promise.reject(new Error('a bug'))

  /** Its cost is what was settled, its record that of the decision, and nothing of the fault is told. */
  function expectTold({ error, aqta }: Failed, settled: readonly ChatSettlement[]): void {
    expect(error.code).toBe('internal_error')
    expect(settled).toMatchObject([{ position: 7, ended: 'failed', errorCause: 'internal', answer: null }])
    const { attestation_id } = INVENTED_RECORD
    expect(aqta).toMatchObject({ attestation_id, status: 'passed', provider: 'openai' })
    expect(aqta).not.toHaveProperty('attestation')
    expect(aqta.cost_eur * 1e6).toBe(settled[0]?.costMicroeur)
    expect(error.aqta).toEqual(aqta)
    expect(JSON.stringify({ error, aqta })).not.toContain('a bug')
  }

  it.each([
    ['in one piece', (c: AppContext, deps: SettleDeps) => answerWhole(c, call, bug(), deps)],
    ['before a stream', (c: AppContext, deps: SettleDeps) => answerStreamed(c, call, bug(), deps)],
  ])('%s is 500 with aqta, and is not to be repeated blindly', async (_, work) => {
    const { response, settled } = await handle(work)
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([500, 'false'])
    expectTold(await response.json<Failed>(), settled)
  })

  it.each([
    [
      'in one piece',
      (c: AppContext, broken: Promise<Asked<never>>, deps: SettleDeps) => answerWhole(c, call, broken, deps),
    ],
    [
      'before a stream',
      (c: AppContext, broken: Promise<Asked<never>>, deps: SettleDeps) => answerStreamed(c, call, broken, deps),
    ],
  ])('%s is settled where it was asked last', async (_, work) => {
    const [{ access, ...first }] = call.allowed
    const last = { ...first, access: { ...access, baseUrl: 'https://second.test' } }
    const broken = Promise.resolve({ outcome: null, thrown: new Error('a bug'), routes: { last, attempts: [] } })
    const { response, settled } = await handle((c, deps) => work(c, broken, deps))
    expectTold(await response.json<Failed>(), settled)
    expect(settled[0]?.routed?.host).toBe('second.test')
  })

  it('before a stream is 500 too where aqta cannot be written', async () => {
    const attestation = {
      ...INVENTED_RECORD,
      get trace_id(): string {
        throw new Error('a bug')
      },
    }
    const opened = Promise.reject(new Error('a bug'))
    const { response, settled } = await handle((c, deps) => answerStreamed(c, { ...call, attestation }, opened, deps))
    const { error } = await response.json<{ error: { code: string; message: string } }>()
    expect([response.status, error.code]).toEqual([500, 'internal_error'])
    expect(error.message).not.toContain('nothing was decided')
    expect(settled).toMatchObject([{ ended: 'failed', errorCause: 'internal' }])
  })

  it('within a stream is an event with aqta, and the stream has no closing mark', async () => {
    async function* batches(): StreamBatches {
      yield [{ raw: new Uint8Array(0), data: '', events: [{ type: 'text', choice: 0, text: 'Al' }] }]
      await bug()
    }
    const opening = { isPassed: false, closed: Promise.resolve(), ms: 1, attempts: 1, upstreamRequestId: null }
    const opened: OpenStream = { ok: true, batches: batches(), ...opening }
    const { response, settled } = await handle((c, deps) => answerStreamed(c, call, askedFor(opened), deps))
    const [event = '', ...others] = (await response.text()).split('\n\n').filter((text) => text !== '')
    expect([response.status, event.includes('"Al"'), others.length]).toEqual([200, true, 1])
    expectTold(JSON.parse((others[0] ?? '').replace('data: ', '')) as Failed, settled)
  })
})

describe('a writer that cannot be made', () => {
  const createWriter = (): never => {
    throw new Error('a bug')
  }
  const broken: AdmittedCall = { ...call, format: { ...call.format, createWriter } }
  const opening = { ms: 1, attempts: 1, upstreamRequestId: null }

  it('ends the stream, and the call is settled', async () => {
    async function* batches(): StreamBatches {}
    const opened = {
      ok: true,
      isPassed: false,
      batches: batches(),
      closed: Promise.resolve(),
      ...opening,
    } as const
    const { response, settled } = await handle((c, deps) => answerStreamed(c, broken, askedFor(opened), deps))
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(settled).toMatchObject([{ ended: 'failed', errorCause: 'internal', answer: null }])
  })

  it('is not needed for an error before the stream', async () => {
    const failed = { ok: false, failure: upstreamFailure('no_headers'), ms: 1, attempts: 1 } as const
    const { response, settled } = await handle((c, deps) => answerStreamed(c, broken, askedFor(failed), deps))
    expect(response.status).toBe(504)
    expect(settled).toMatchObject([{ ended: 'failed', errorCause: 'no_headers' }])
  })
})

describe('a stream whose provider is silent before it begins', () => {
  const silent = { ms: 1, attempts: 1, upstreamRequestId: null }

  /** Answers while the provider has said nothing, and lets it speak then: as `opening` is fulfilled or rejected. */
  async function handleSilent(speak: (opening: PromiseWithResolvers<OpenStream>) => void) {
    const opening = Promise.withResolvers<OpenStream>()
    const asking = opening.promise.then(askedFor)
    const answered = await handle((c, deps) => answerStreamed(c, call, asking, deps), {
      keepAliveMs: 5,
      whenAnswered: () => speak(opening),
    })
    const text = await answered.response.text()
    const events = text.split('\n\n').filter((event) => event !== '' && event !== ': keep-alive')
    return { ...answered, text, events }
  }

  it('is answered with its head and comments before, and with its events when they come', async () => {
    async function* batches(): StreamBatches {
      yield [{ raw: new Uint8Array(0), data: 'x', events: [{ type: 'text', choice: 0, text: 'At last' }] }]
      yield [
        { raw: new Uint8Array(0), data: 'x', events: [{ type: 'finish', choice: 0, reason: 'stop' }, { type: 'end' }] },
      ]
    }
    const { response, text, events, settled } = await handleSilent(({ resolve }) =>
      resolve({ ok: true, isPassed: false, batches: batches(), closed: Promise.resolve(), ...silent }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(text.startsWith(': keep-alive\n\n')).toBe(true)
    expect(events.at(-1)).toBe('data: [DONE]')
    expect(events.join()).toContain('At last')
    const [{ answer } = { answer: null }] = settled
    expect(settled).toMatchObject([{ ended: 'completed' }])
    expect(answer?.salt).toMatch(/^[0-9a-f]{32}$/)
    const bytes = new TextEncoder().encode(text)
    expect(answer?.sha256).toBe(answerHashOf(bytes, answer?.salt ?? ''))
  })

  it.each([
    [
      'refuses',
      upstreamFailure('refused', { billed: 'no', rejection: { reason: 'schema', member: 'tools[0]' } }),
      'invalid_request',
    ],
    ['is over its rate', upstreamFailure('rate', { billed: 'no', retryAfterMs: 7_000 }), 'rate_limit_exceeded'],
    ['never speaks', upstreamFailure('no_headers'), 'provider_timeout'],
  ])('ends with an error event where it then %s', async (_, failure, code) => {
    const { response, events, settled } = await handleSilent(({ resolve }) =>
      resolve({ ok: false, failure, ms: 1, attempts: 1 }),
    )
    expect(response.status).toBe(200)
    expect(events).toHaveLength(1)
    const { error, aqta } = JSON.parse((events[0] ?? '').replace('data: ', '')) as {
      error: { code: string; aqta: ErrorAqta }
      aqta: ErrorAqta
    }
    expect([error.code, error.aqta.trace_id]).toEqual([code, aqta.trace_id])
    expect(settled).toMatchObject([{ ended: 'failed', errorCause: failure.cause, answer: null }])
  })

  it('ends with an error event where a fault of our own follows', async () => {
    const { response, events, settled } = await handleSilent(({ reject }) => reject(new Error('a bug')))
    expect([response.status, events.length]).toEqual([200, 1])
    expect(events[0]).toContain('internal_error')
    expect(events[0]).not.toContain('a bug')
    expect(settled).toMatchObject([{ errorCause: 'internal' }])
  })
})
