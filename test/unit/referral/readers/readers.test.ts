// Both readers over a fetch of the test's own: how many requests wait at a time, what a late one means, what it costs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemRuntime, type Runtime } from '../../../../src/providers/http-exchange.ts'
import { readEndpointSettings } from '../../../../src/providers/endpoint-settings.ts'
import { parseReaderAnswer } from '../../../../src/referral/readers/reader-prompt.ts'
import { createReaders } from '../../../../src/referral/readers/readers.ts'
import {
  canReadingChange,
  findsTwoProblems,
  tally,
  type Sample,
} from '../../../../src/referral/readers/tally-samples.policy.ts'
import { PRICED_AT } from '../../../fixtures/providers/models.ts'

const SPECIALTIES = new Set(['Cardiology', 'Dermatology'])
const TEXT = 'Dear Doctor, this man has palpitations.'
const CARDIOLOGY = JSON.stringify({ specialty: 'Cardiology', ageGroup: 'Adult' })

const endpoints = readEndpointSettings(
  Object.fromEntries(
    ['openai', 'google', 'anthropic'].flatMap((id) => [
      [`${id.toUpperCase()}_BASE_URL`, `https://${id}.test`],
      [`${id.toUpperCase()}_API_KEY`, `key-of-${id}`],
    ]),
  ),
  'staging',
)

type ReaderSettings = Parameters<typeof createReaders>[0]['readers']

const readers: ReaderSettings = {
  dataRegion: 'any',
  models: ['gpt-4.1-mini', 'gemini-3.6-flash'],
  samples: 5,
  timeLimitMs: 5000,
  graceMs: 1500,
}

const settings = {
  readers,
  eurPerUsd: { rate: '0.5', date: null },
  endpoints,
}

type Fetch = Runtime['fetch']

const bodyOf = ({ body }: RequestInit): string =>
  new TextDecoder().decode(body instanceof Uint8Array ? body : undefined)

/** Google's answer with this text. */
const googleAnswer = (text: string): Response =>
  Response.json({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 20 },
  })

/** An answer of each dialect, with the text given once or as often as was asked for. */
const answer: Fetch = async (url, init) => {
  const body = JSON.parse(bodyOf(init)) as { n?: number }
  if (url.startsWith('https://openai.test')) {
    const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({
      index,
      message: { role: 'assistant', content: CARDIOLOGY },
      finish_reason: 'stop',
    }))
    return Response.json({ choices, usage: { prompt_tokens: 1000, completion_tokens: 100 } })
  }
  if (url.startsWith('https://google.test')) {
    return googleAnswer(CARDIOLOGY)
  }
  return Response.json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [{ type: 'text', text: CARDIOLOGY }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1000, output_tokens: 20 },
  })
}

/** `fetch` as the platform has it: a seventh request that waits for its headers waits behind the others. */
function platformFetch(fetch: Fetch) {
  const seen = { most: 0, sent: 0 }
  let waiting = 0
  const limited: Fetch = async (url, init) => {
    waiting += 1
    seen.sent += 1
    seen.most = Math.max(seen.most, waiting)
    try {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return await fetch(url, init)
    } finally {
      waiting -= 1
    }
  }
  return { seen, fetch: limited }
}

/** No timer of a reading goes off by itself, unless there is an `after`. */
function readersWith(
  fetch: Fetch,
  changed: Partial<ReaderSettings> = {},
  after: Runtime['after'] = () => () => undefined,
  now: Runtime['now'] = () => PRICED_AT,
) {
  const runtime = { ...systemRuntime, fetch, after, now }
  const both = createReaders({ ...settings, readers: { ...readers, ...changed }, runtime })
  if (both === null) throw new Error('there are keys')
  return both.prepareReading({ text: TEXT, specialties: SPECIALTIES })
}

describe('the readers', () => {
  it('are asked once for five where the model gives five, else three times for one', async () => {
    const { seen, fetch } = platformFetch(answer)
    const { readers: readings } = await readersWith(fetch).read()
    expect(readings.map(({ samples, taken }) => [samples.length, taken])).toEqual([
      [5, 5],
      [3, 3],
    ])
    expect(seen).toEqual({ most: 4, sent: 4 })
  })

  it('never have more than six requests waiting for headers together', async () => {
    const { seen, fetch } = platformFetch(answer)
    const eight = { models: ['claude-haiku-4-5', 'gemini-3.6-flash'], samples: 8 } as const
    const { readers: readings } = await readersWith(fetch, eight).read()
    expect(readings.map(({ consistency, taken }) => [consistency, taken])).toEqual([
      [1, 5],
      [1, 5],
    ])
    expect(seen).toEqual({ most: 6, sent: 10 })
  })

  it('hold nothing past the time limit: what has not come is a time-out, and the request is given up', async () => {
    const given: AbortSignal[] = []
    const silent: Fetch = (url, init) => {
      if (url.startsWith('https://openai.test')) return answer(url, init)
      if (init.signal) given.push(init.signal)
      // Deaf to its signal, as a provider client may be.
      return new Promise(() => undefined)
    }
    const { readers: readings, timings } = await readersWith(silent, { timeLimitMs: 2000 }, systemRuntime.after).read()
    expect(readings[0]).toMatchObject({ available: true, specialty: 'Cardiology' })
    expect(readings[1]).toMatchObject({ available: false, reason: 'timeout', samples: [] })
    expect(timings[1]).toHaveLength(5)
    expect(given.every((signal) => signal.aborted)).toBe(true)
  })

  it.each([
    ['another model', 'gemini-3.8-flash', { available: false, reason: 'invalid_answer', samples: [] }],
    ['a name that no record takes', 'gemini\u202e', { available: false, reason: 'invalid_answer', samples: [] }],
    ['a dated form of its model', 'gemini-3.6-flash-001', { available: true, specialty: 'Cardiology' }],
    ['no model', null, { available: true, specialty: 'Cardiology' }],
  ])('take no sample whose provider names another model: %s', async (_, modelVersion, reading) => {
    const naming: Fetch = async (url, init) => {
      const body = await (await answer(url, init)).json<object>()
      return Response.json({ ...body, modelVersion })
    }
    const { readers: readings, servedModels, costEstimated } = await readersWith(naming).read()
    expect(readings).toMatchObject([{ available: true }, reading])
    const isPlain = modelVersion?.startsWith('gemini-') === true
    expect([servedModels, costEstimated]).toEqual([[[], isPlain ? [modelVersion] : []], false])
  })

  it('never see each other’s answer', async () => {
    const bodies: string[] = []
    const noting: Fetch = (url, init) => {
      bodies.push(bodyOf(init))
      return answer(url, init)
    }
    await readersWith(noting).read()
    for (const body of bodies) expect(body).not.toContain(CARDIOLOGY)
    expect(new Set(bodies.filter((body) => body.includes('"contents"'))).size).toBe(1)
  })

  it('draw a new fence for every reading', async () => {
    const fences = new Set<string>()
    const noting: Fetch = (url, init) => {
      fences.add(/<(letter-[0-9a-f]{16})>/.exec(bodyOf(init))?.[1] ?? 'none')
      return answer(url, init)
    }
    await readersWith(noting).read()
    await readersWith(noting).read()
    expect(fences.size).toBe(2)
    expect(fences).not.toContain('none')
  })

  it('cost what the providers say, in euro', async () => {
    const { costMicroeur, costEstimated } = await readersWith(answer).read()
    // A: 1,000 × 0.4 + 100 × 1.6 = 560 micro-dollars. B: 3 × (1,000 × 0.75 + 20 × 3.75) = 2,475. Half of both, rounded.
    expect([costMicroeur, costEstimated]).toEqual([1518, false])
  })

  it('cost what applied when their most was said, even if the price rises before they answer', async () => {
    let now = Date.parse('2026-12-31T23:59:59.999Z')
    const prepared = readersWith(answer, {}, undefined, () => now)
    now += 1
    expect((await prepared.read()).costMicroeur).toBe(1518)
    expect(readersWith(answer, {}, undefined, () => now).mostMicroeur).toBeGreaterThan(prepared.mostMicroeur)
  })

  it('cost at most what was said before, also where every request fails and may have been billed', async () => {
    const prepared = readersWith(() => Promise.resolve(new Response('', { status: 500 })), { samples: 2 })
    const { costMicroeur, costEstimated } = await prepared.read()
    expect([costMicroeur, costEstimated]).toEqual([prepared.mostMicroeur, true])
    const refused = await readersWith(() => Promise.resolve(new Response('', { status: 401 }))).read()
    expect([refused.costMicroeur, refused.costEstimated]).toEqual([0, false])
  })

  it('reserve for the most samples, also where fewer are asked for', async () => {
    const prepared = readersWith(() => Promise.resolve(new Response('', { status: 500 })))
    const { costMicroeur, timings } = await prepared.read()
    expect(timings.map(({ length }) => length)).toEqual([5, 3])
    expect(costMicroeur).toBeLessThan(prepared.mostMicroeur)
  })

  it('are estimated where a provider sends no usage', async () => {
    const silentOnUsage: Fetch = async (url, init) => {
      const body = await (await answer(url, init)).json<object>()
      return Response.json({ ...body, usage: null, usageMetadata: undefined })
    }
    const { costMicroeur, costEstimated } = await readersWith(silentOnUsage).read()
    expect(costEstimated).toBe(true)
    expect(costMicroeur).toBeGreaterThan(0)
  })
})

const DERMATOLOGY = CARDIOLOGY.replace('Cardiology', 'Dermatology')

describe('the grace', () => {
  const GRACE_MS = 777

  /** Readers whose second one answers with these texts in turn, and its fifth request once it is told what. */
  function readWith(texts: readonly string[]) {
    const events: string[] = []
    const given: AbortSignal[] = []
    const grace = Promise.withResolvers<() => void>()
    const fifth = Promise.withResolvers<string>()
    const rest = [...texts]
    const fetch: Fetch = async (url, init) => {
      if (url.startsWith('https://openai.test')) return answer(url, init)
      const ready = rest.shift()
      if (ready === undefined && init.signal) given.push(init.signal)
      const text = ready ?? (await fifth.promise)
      return googleAnswer(text)
    }
    // No timer of a reading goes off by itself.
    const after: Runtime['after'] = (delayMs, action) => {
      if (delayMs === GRACE_MS) {
        events.push('grace')
        grace.resolve(action)
      }
      return () => undefined
    }
    const both = createReaders({
      ...settings,
      readers: { ...readers, graceMs: GRACE_MS },
      runtime: { ...systemRuntime, fetch, after },
    })
    const reading = both?.prepareReading({ text: TEXT, specialties: SPECIALTIES }).read()
    if (reading === undefined) throw new Error('there are keys')
    const answerFifth = (text: string): void => {
      events.push('fifth')
      fifth.resolve(text)
    }
    return { reading, events, given, graceBegun: grace.promise, answerFifth }
  }

  it('begins once what is awaited can change nothing: what has not come by its end is a time-out', async () => {
    const { reading, graceBegun, given } = readWith([CARDIOLOGY, CARDIOLOGY, DERMATOLOGY, CARDIOLOGY])
    const end = await graceBegun
    end()
    const { readers: readings, timings, costEstimated } = await reading
    expect(readings).toMatchObject([
      { available: true, specialty: 'Cardiology', consistency: 1 },
      { available: true, specialty: 'Cardiology', ageGroup: 'Adult', consistency: 0.6, taken: 5 },
    ])
    expect([timings[1].length, costEstimated]).toEqual([5, true])
    expect(given.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('lets in what comes before its end', async () => {
    const { reading, graceBegun, answerFifth } = readWith([CARDIOLOGY, CARDIOLOGY, DERMATOLOGY, CARDIOLOGY])
    await graceBegun
    answerFifth(CARDIOLOGY)
    expect((await reading).readers[1]).toMatchObject({ specialty: 'Cardiology', consistency: 0.8 })
  })

  it('does not begin while one that is awaited could still decide between two specialties', async () => {
    const { reading, events, answerFifth } = readWith([CARDIOLOGY, CARDIOLOGY, DERMATOLOGY, DERMATOLOGY])
    // Turns in which a grace that began too early would show.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
    answerFifth(DERMATOLOGY)
    expect((await reading).readers[1]).toMatchObject({ specialty: 'Dermatology', consistency: 0.6 })
    expect(events[0]).toBe('fifth')
  })
})

describe('the last two of five samples', () => {
  const LOST = 'no JSON'
  const TEXTS = [
    CARDIOLOGY,
    DERMATOLOGY,
    CARDIOLOGY.replace('Adult', 'Child'),
    CARDIOLOGY.replace('Cardiology', 'None of these'),
    CARDIOLOGY.replace('Cardiology', 'Two problems'),
    LOST,
  ]

  /** Reader A names Cardiology. Reader B gives these answers in turn; null is no answer at all. */
  function answering(texts: readonly (string | null)[]) {
    const seen = { sentToB: 0 }
    const fetch: Fetch = async (url, init) => {
      if (url.startsWith('https://openai.test')) return answer(url, init)
      const text = texts[seen.sentToB++] ?? null
      return text === null ? new Promise(() => undefined) : googleAnswer(text)
    }
    return { seen, fetch }
  }

  const sampleOf = (text: string): Sample => {
    const choice = { index: 0, text, refusal: null, toolCalls: [], finishReason: 'stop' as const }
    const read = parseReaderAnswer(choice, SPECIALTIES)
    return read === null ? { failed: 'invalid_answer', ms: 0 } : { choice: read, ms: 0 }
  }

  it('are asked for only if they can change what is named, which is what all five would name', async () => {
    const requests = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant(CARDIOLOGY), fc.constantFrom(...TEXTS)), { minLength: 5, maxLength: 5 }),
        async (texts) => {
          const { seen, fetch } = answering(texts)
          const { readers: readings, twoProblems } = await readersWith(fetch).read()
          const samples = texts.map(sampleOf)
          const ofFive = tally('Reader B', samples)
          const { available, specialty, ageGroup, taken } = readings[1]
          expect({ available, specialty, ageGroup }).toEqual({
            available: ofFive.available,
            specialty: ofFive.specialty,
            ageGroup: ofFive.ageGroup,
          })
          expect(twoProblems[1]).toBe(findsTwoProblems(ofFive, samples))
          expect([seen.sentToB, taken]).toEqual(canReadingChange(samples.slice(0, 3), 2) ? [5, 5] : [3, 3])
          requests.add(taken)
        },
      ),
      { seed: 20261122, numRuns: 200 },
    )
    expect(requests).toEqual(new Set([3, 5]))
  })

  it('are asked for where one of the first three is late, and no answer is waited for past the limit', async () => {
    const { seen, fetch } = answering([CARDIOLOGY, null, CARDIOLOGY, CARDIOLOGY, null])
    const timers = new Map<number, () => void>()
    const after: Runtime['after'] = (delayMs, action) => {
      // The reading's own timers are the first.
      if (!timers.has(delayMs)) timers.set(delayMs, action)
      return () => undefined
    }
    const reading = readersWith(fetch, {}, after).read()
    await expect.poll(() => seen.sentToB).toBe(3)
    timers.get(readers.timeLimitMs / 2)?.()
    await expect.poll(() => timers.has(readers.graceMs)).toBe(true)
    expect(seen.sentToB).toBe(5)
    timers.get(readers.timeLimitMs)?.()
    expect((await reading).readers[1]).toMatchObject({ specialty: 'Cardiology', consistency: 0.6, taken: 5 })
  })

  it('are not sent after the limit, which two missing samples of three make a time-out', async () => {
    const { seen, fetch } = answering([CARDIOLOGY, null, null, null, null])
    const { readers: readings } = await readersWith(fetch, { timeLimitMs: 200 }, systemRuntime.after).read()
    expect(readings[1]).toMatchObject({ available: false, reason: 'timeout', taken: 5 })
    expect(seen.sentToB).toBe(5)
  })
})

describe('createReaders', () => {
  it('is null where a provider has no key', () => {
    const google = { ...endpoints.google, apiKey: null }
    expect(createReaders({ ...settings, endpoints: { ...endpoints, google } })).toBeNull()
  })

  it.each([
    ['READER_A_MODEL', ['gpt-unknown', 'gemini-3.6-flash']],
    ['READER_B_MODEL', ['gpt-4.1-mini', 'gemini-unknown']],
    ['READER_B_MODEL', ['gpt-4.1-mini', 'gpt-5.6-luna']],
  ] as const)('refuses a setting by name: %s', (setting, models) => {
    expect(() => createReaders({ ...settings, readers: { ...readers, models } })).toThrow(setting)
  })

  const withKeys = (...ids: string[]) =>
    readEndpointSettings(Object.fromEntries(ids.map((id) => [`${id}_API_KEY`, `key-of-${id}`])), 'staging')
  const routesWith = (changed: Partial<ReaderSettings>, ...ids: string[]) =>
    createReaders({ ...settings, readers: { ...readers, ...changed }, endpoints: withKeys(...ids) })?.routes.map(
      ({ route, host }) => [route, host],
    )
  const europe = { dataRegion: 'eea_ch', models: ['gpt-6-luna', 'claude-haiku-5-5'] } as const
  const LUNA_IN_EUROPE = ['openai-eu', 'eu.api.openai.com']

  it('takes the first route inside the region that has a key', () => {
    expect(routesWith(europe, 'OPENAI', 'OPENAI_EU', 'ANTHROPIC', 'BEDROCK_EU_WEST_1', 'BEDROCK_EU_CENTRAL_1')).toEqual(
      [LUNA_IN_EUROPE, ['bedrock-eu-west-1', 'bedrock-runtime.eu-west-1.amazonaws.com']],
    )
    expect(routesWith(europe, 'OPENAI', 'OPENAI_EU', 'ANTHROPIC', 'BEDROCK_EU_CENTRAL_1')).toEqual([
      LUNA_IN_EUROPE,
      ['bedrock-eu-central-1', 'bedrock-runtime.eu-central-1.amazonaws.com'],
    ])
    expect(routesWith({}, 'OPENAI_EU', 'GOOGLE')?.[0]).toEqual(LUNA_IN_EUROPE)
  })

  it('is null, and no route outside, where only those outside have a key', () => {
    expect(routesWith(europe, 'OPENAI', 'ANTHROPIC', 'BEDROCK_EU_WEST_1')).toBeUndefined()
  })

  it.each([
    ['a model without a route there', { ...europe, dataRegion: 'eu' }, /READER_A_MODEL.+can be eea_ch or any/],
    ['a model without a route in Europe', { ...europe, models: ['gpt-6-luna', 'gemini-3.6-flash'] }, /can be any,/],
    ['two models of one owner', { models: ['claude-haiku-5-5', 'claude-sonnet-5'] }, /one owner or provider/],
  ] as const)('refuses %s and says what works', (_, changed, problem) => {
    expect(() => routesWith(changed, 'OPENAI_EU', 'ANTHROPIC', 'BEDROCK_EU_WEST_1')).toThrow(problem)
  })
})
