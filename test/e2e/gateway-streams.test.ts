// Streams that end badly, or that nobody reads to their end, on plain workerd: told apart by the caller and in the
// ledger, cancelled at the provider, and always settled.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EndpointId } from '../../src/providers/provider-registry.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { MODEL_OF_EACH, ask, readEvents } from '../support/e2e/gateway.ts'

type Opened = { gateway: GatewayOnWorkerd; key: string }

/** With the limits of production but for those given: a short one is only for calls that are to pass it. */
async function open(limits: Record<string, string> = {}): Promise<Opened> {
  const gateway = await startGatewayOnWorkerd(limits)
  const { key } = await gateway.createKey()
  return { gateway, key }
}

let patient: Opened
beforeAll(async () => {
  patient = await open()
})
afterAll(() => patient.gateway.close())
beforeEach(() => patient.gateway.emulator.reset())

const post = ({ gateway, key }: Opened, body: object, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, { ...postJson(key, body), ...init })

const traceOf = ({ headers }: Response): string => headers.get('x-aqta-trace-id') ?? ''

const statesAt = ({ gateway }: Opened) => gateway.emulator.requests().map(({ state }) => state)

type Model = { endpoint: EndpointId; model: string }

async function streamAt(at: Opened, { endpoint, model }: Model, behaviour: string) {
  at.gateway.emulator.behave(endpoint, [behaviour])
  const response = await post(at, ask(model, { stream: true, max_completion_tokens: 8000 }))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-aqta-status')).toBe('passed')
  const events = await readEvents(response)
  const settlement = await at.gateway.settlementOf({ trace_id: traceOf(response) })
  return { ...events, settlement, last: events.chunks.at(-1) }
}

type Ended = Awaited<ReturnType<typeof streamAt>>

function expectBroken({ done, last, settlement }: Ended, { provider, cause, code }: Record<string, string>): void {
  expect(done).toBe(false)
  expect(last?.error).toMatchObject({ code, type: 'api_error' })
  expect(last?.aqta).toMatchObject({ status: 'passed', provider, cost_estimated: true })
  expect(last?.error?.aqta).toEqual(last?.aqta)
  expect(JSON.stringify(last)).not.toMatch(/emulator/i)
  expect(settlement).toMatchObject({ ended: 'failed', error_cause: cause, estimated: true })
  expect(settlement.cost_microeur).toBe(Math.round((last?.aqta?.cost_eur ?? 0) * 1e6))
}

describe.each(MODEL_OF_EACH)('a stream of %s', (provider, model, endpoint) => {
  const stream = (behaviour: string) => streamAt(patient, { endpoint, model }, behaviour)

  it.each([
    ['is cut off', 'cut,4', 'cut'],
    ['ends early', 'truncate,4', 'cut'],
    ['reports an error after text', 'mid-error,4', 'error_event'],
    ['breaks off being JSON', 'malformed,4', 'malformed'],
  ])('that %s ends with an error event and no closing mark, and is settled', async (_, behaviour, cause) => {
    expectBroken(await stream(behaviour), { provider, cause, code: 'provider_error' })
  })

  it('without usage is settled by estimate, and says so', async () => {
    const { done, settlement, chunks } = await stream('no-usage')
    expect(done).toBe(true)
    expect(settlement).toMatchObject({ ended: 'completed', estimated: true })
    expect(settlement.cost_microeur).toBeGreaterThan(0)
    expect(chunks.find(({ aqta }) => aqta !== undefined)?.aqta).toMatchObject({ cost_estimated: true })
  })

  it('with usage of zero costs nothing: zero is an answer', async () => {
    const { settlement, chunks } = await stream('zero-usage')
    expect(settlement).toMatchObject({ cost_microeur: 0, estimated: false })
    expect(chunks.find(({ aqta }) => aqta !== undefined)?.aqta?.cost_eur).toBe(0)
  })

  it('with its usage sent twice is billed once', async () => {
    const { settlement } = await stream('chars,400+double-usage')
    expect(settlement.usage).toMatchObject({ output_visible: 100 })
  })

  it('is whole however its bytes are cut up and its lines are ended: no character becomes U+FFFD, no event is lost', async () => {
    const { done, text, chunks } = await stream('split+crlf+comments')
    expect(done).toBe(true)
    expect(text).not.toContain('\uFFFD')
    expect(text).toMatch(/[^ -~]/)
    expect(chunks.filter(({ aqta }) => aqta !== undefined)).toHaveLength(1)
  })

  it('leaves its provider’s connection to the next one', async () => {
    const { emulator } = patient.gateway
    const connections = async () => {
      emulator.reset()
      for (let call = 0; call < 3; call++) expect((await stream('ok')).done).toBe(true)
      expect(emulator.requests().map(({ state }) => state)).toEqual(['finished', 'finished', 'finished'])
      return new Set(emulator.requests().map(({ connection }) => connection)).size
    }
    // One that nobody used for five seconds is none any more.
    await expect.poll(connections).toBe(1)
  })

  it('is cancelled at its provider when the caller leaves, and what was produced is settled', async () => {
    const { gateway } = patient
    gateway.emulator.behave(endpoint, ['stream,4000,20'])
    const leaving = new AbortController()
    const body = ask(model, { stream: true, max_completion_tokens: 8000 })
    const response = await post(patient, body, { signal: leaving.signal })
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
    let read = 0
    while (read < 2_000) read += (await reader?.read())?.value?.length ?? Infinity
    leaving.abort()
    await gateway.emulator.idle()
    expect(statesAt(patient)).toEqual(['cancelled'])
    const settlement = await gateway.settlementOf({ trace_id: traceOf(response) })
    expect(settlement).toMatchObject({ ended: 'cancelled', error_cause: 'caller', estimated: true })
    expect(settlement.usage?.['output_visible']).toBeGreaterThan(0)
    expect(settlement.cost_microeur).toBeGreaterThan(0)
  })
})

describe('a stream that its provider stops by its own rules on content', () => {
  it.each(MODEL_OF_EACH.filter(([provider]) => provider === 'openai' || provider === 'anthropic'))(
    'ends with an error event that says so: %s',
    async (provider, model, endpoint) => {
      const ended = await streamAt(patient, { endpoint, model }, 'mid-error,4,content')
      expectBroken(ended, { provider, cause: 'error_event', code: 'provider_error' })
      expect(JSON.stringify(ended.last?.error)).toContain('its own content rules')
    },
  )
})

describe('a stream that falls silent', () => {
  let impatient: Opened
  beforeAll(async () => {
    impatient = await open({ PROVIDER_SILENCE_LIMIT_MS: '300' })
  })
  afterAll(() => impatient.gateway.close())

  it.each(MODEL_OF_EACH)(
    'ends with an error event and no closing mark, and is settled: %s',
    async (provider, model, endpoint) => {
      const ended = await streamAt(impatient, { endpoint, model }, 'silent')
      expectBroken(ended, { provider, cause: 'silence', code: 'provider_timeout' })
    },
  )
})

describe('a stream that has told its finish and its usage', () => {
  const EVENTS = 8 // the role, five pieces of text, the finish, the usage; only the closing mark is missing

  it.each([
    ['is cut off', `cut,${EVENTS}`, 'cut'],
    ['ends without its closing mark', `truncate,${EVENTS}`, 'cut'],
    ['reports an error', `mid-error,${EVENTS}`, 'error_event'],
  ])('and then %s has told its cost, which stands, before the error', async (_, behaviour, cause) => {
    patient.gateway.emulator.behave('openai', [`stream,5,0+${behaviour}`])
    const response = await post(patient, ask('gpt-4.1-mini', { stream: true }))
    const { done, chunks } = await readEvents(response)
    const settlement = await patient.gateway.settlementOf({ trace_id: traceOf(response) })
    expect(done).toBe(false)
    const [finish, error] = chunks.slice(-2)
    expect(finish).toMatchObject({ choices: [{ finish_reason: 'stop' }], aqta: { status: 'passed' } })
    expect(finish?.aqta).not.toHaveProperty('cost_estimated')
    expect(error?.error).toMatchObject({ type: 'api_error' })
    expect(error?.aqta).toMatchObject({ attestation_id: finish?.aqta?.attestation.attestation_id })
    expect(error?.aqta?.cost_eur).toBe(finish?.aqta?.cost_eur)
    expect(settlement).toMatchObject({ ended: 'failed', error_cause: cause, estimated: false })
    expect(settlement.cost_microeur).toBe(Math.round((finish?.aqta?.cost_eur ?? 0) * 1e6))
  })
})

describe('a caller who is slow at first', () => {
  it('gets everything: the provider is made to wait and then goes on', async () => {
    const { gateway } = patient
    gateway.emulator.behave('openai', ['stream,40000,0'])
    const response = await post(patient, ask('gpt-5.6-luna', { stream: true, max_completion_tokens: 128_000 }))
    await new Promise((resolve) => {
      setTimeout(resolve, 300)
    })
    const { done, text } = await readEvents(response)
    expect([done, text.length]).toEqual([true, 160_000])
    expect(await gateway.settlementOf({ trace_id: traceOf(response) })).toMatchObject({ ended: 'completed' })
  })
})

describe('a caller who stops reading', () => {
  let impatient: Opened
  beforeAll(async () => {
    impatient = await open({ CALLER_STALL_LIMIT_MS: '300' })
  })
  afterAll(() => impatient.gateway.close())

  it('does not make the gateway hold the stream: its provider is cancelled after the stall limit', async () => {
    const { gateway } = impatient
    gateway.emulator.behave('openai', ['stream,128000,0'])
    const response = await post(impatient, ask('gpt-5.6-luna', { stream: true, max_completion_tokens: 128_000 }))
    await gateway.emulator.idle()
    expect(statesAt(impatient)).toEqual(['cancelled'])
    expect(await gateway.settlementOf({ trace_id: traceOf(response) })).toMatchObject({
      ended: 'cancelled',
      estimated: true,
    })
    const { done, chunks } = await readEvents(response)
    expect(done).toBe(false)
    expect(chunks.at(-1)?.error).toMatchObject({ code: 'service_unavailable' })
  })
})

describe('an answer in one piece', () => {
  it.each(MODEL_OF_EACH)('of %s that is cut off is a 502, and settled', async (_, model, endpoint) => {
    patient.gateway.emulator.behave(endpoint, ['cut'])
    const response = await post(patient, ask(model))
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false'])
    expect(await patient.gateway.settlementOf({ trace_id: traceOf(response) })).toMatchObject({
      ended: 'failed',
      error_cause: 'cut',
    })
  })
})
