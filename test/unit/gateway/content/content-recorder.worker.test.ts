// Tests the content kept of a call: sealed after the answer, within the isolate's memory, lost rather than waited for.
import fc from 'fast-check'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { createContentRecorder, createStreamBuffer } from '../../../../src/gateway/content/content-recorder.ts'
import { createMemoryPool, POOL_LIMITS } from '../../../../src/gateway/memory/memory-pool.ts'
import { contentPlaceOf } from '../../../../src/organisation/content/content-object.ts'
import { getContent } from '../../../../src/organisation/content/content-bucket.store.ts'
import type { ReportedContent } from '../../../../src/organisation/admit/settle-chat.ts'
import { assembleAnswer } from '../../../../src/providers/assemble-answer.ts'
import type { StreamEvent } from '../../../../src/providers/chat-answer.ts'
import { bucketWith, putThenFail } from '../../../support/unit/bucket-with.ts'

const REQUEST = Uint8Array.from(new TextEncoder().encode('{"model":"m","n":1.0,"messages":["quicksilver"]}'))
const dataKey = { number: 1, bytes: new Uint8Array(32).fill(7), fingerprint: '00112233aabbccdd' }

const nothing = () => 'null'
const textOf = (text: string): { events: StreamEvent[] } => ({ events: [{ type: 'text', choice: 0, text }] })

function open({ isStreamed = false, bucket = env.FILES, ownerBytes = POOL_LIMITS.ownerBytes } = {}) {
  const limits = { ...POOL_LIMITS, ownerBytes }
  const pool = createMemoryPool({ limits, now: () => 0, after: () => () => undefined })
  const attestationId = crypto.randomUUID()
  const place = contentPlaceOf(dataKey, { object: 'an-object', attestationId, kind: 'call', expiresAt: 1e12 })
  const parts = { place, request: REQUEST, isStreamed, pool, owner: 'org_1', bucket, requestId: 'req_1' }
  return {
    content: createContentRecorder(parts),
    /** True if all of the owner's memory is free. */
    isFree: () => pool.enter('org_1', { bytes: ownerBytes, answers: 0 }) !== null,
    read: async (kept: ReportedContent | 'lost'): Promise<unknown> => {
      if (kept === 'lost') throw new Error('lost')
      expect(kept.name).toBe(place.name)
      const opened = await getContent(env.FILES, place, kept)
      return opened.outcome === 'opened' ? new TextDecoder().decode(opened.plain) : opened.outcome
    },
    isThere: async () => (await env.FILES.head(place.name)) !== null,
  }
}

describe('the content of a call', () => {
  it('is the request to the byte, and the answer as it was sent', async () => {
    const { content, read, isFree } = open()
    expect(isFree()).toBe(false)
    expect(await read(await content.put('{"id":"x","cost":1.0}', nothing))).toBe(
      '{"request":{"model":"m","n":1.0,"messages":["quicksilver"]},"answer":{"id":"x","cost":1.0},"streamed":false,"truncated":false}',
    )
    expect(isFree()).toBe(true)
  })

  it('has no answer where nothing was answered', async () => {
    const { content, read } = open()
    expect(await read(await content.put(null, nothing))).toContain('"answer":null,"streamed":false')
    const streamed = open({ isStreamed: true })
    expect(await streamed.read(await streamed.content.put(null, nothing))).toContain('"answer":null,"streamed":true')
  })

  it('is of a stream what its events come to', async () => {
    const { content, read } = open({ isStreamed: true })
    for (const piece of ['quick', 'silver']) content.add(textOf(piece))
    const kept = await content.put(null, (answer) => JSON.stringify(answer.choices[0]?.text))
    expect(await read(kept)).toContain('"answer":"quicksilver","streamed":true,"truncated":false')
  })

  it('leaves out the end of a stream that is longer than what is kept, or than there is room for', async () => {
    const whole = (answer: { choices: readonly { text: string }[] }) => String(answer.choices[0]?.text.length)
    const long = open({ isStreamed: true })
    for (let n = 0; n < 20; n += 1) long.content.add(textOf('x'.repeat(100_000)))
    expect(await long.read(await long.content.put(null, whole))).toContain(
      '"answer":1100000,"streamed":true,"truncated":true',
    )
    const cramped = open({ isStreamed: true, ownerBytes: 50_000 })
    for (let n = 0; n < 20; n += 1) cramped.content.add(textOf('x'.repeat(10_000)))
    expect(await cramped.read(await cramped.content.put(null, whole))).toContain(
      '"answer":30000,"streamed":true,"truncated":true',
    )
    expect(cramped.isFree()).toBe(true)
  })

  it('is lost where there is no room for the request, and takes none', async () => {
    const { content, isThere, isFree } = open({ ownerBytes: REQUEST.byteLength - 1 })
    expect(await content.put('{}', nothing)).toBe('lost')
    expect([await isThere(), isFree()]).toEqual([false, true])
  })

  it('is lost where R2 does not take it, and its memory free', async () => {
    const { content, isFree } = open({ bucket: bucketWith({ put: () => Promise.reject(new Error('cut off')) }) })
    expect(await content.put('{}', nothing)).toBe('lost')
    expect(isFree()).toBe(true)
  })

  it('is not waited for when R2 does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const asked = Promise.withResolvers<void>()
      const unanswered = () => (asked.resolve(), new Promise<never>(() => undefined))
      const { content } = open({ bucket: bucketWith({ put: unanswered }) })
      const put = content.put('{}', nothing)
      await asked.promise
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await put).toBe('lost')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('what was put', () => {
  const settled = { outcome: 'settled', position: 1 } as const

  it.each([
    ['stays where the ledger has it', { ...settled, isContentKept: true }, true],
    ['stays where it is not known what was written', null, true],
    ['goes where its key was destroyed meanwhile', { ...settled, isContentKept: false }, false],
    ['goes where the call was settled without it', { outcome: 'not_open' } as const, false],
  ])('%s', async (_, answer, stays) => {
    const { content, isThere } = open()
    await content.put('{}', nothing)
    await content.deleteUnrecorded(answer)
    expect(await isThere()).toBe(stays)
  })

  it('goes also where nobody knows whether it was put', async () => {
    const { content, isThere } = open({ bucket: bucketWith({ put: putThenFail }) })
    expect(await content.put('{}', nothing)).toBe('lost')
    expect(await isThere()).toBe(true)
    await content.deleteUnrecorded({ ...settled, isContentKept: false })
    expect(await isThere()).toBe(false)
  })
})

const choice = fc.nat(1)
const index = fc.nat(2)
const text = fc.string({ unit: 'grapheme', maxLength: 4 })
const usage = fc.nat().map((outputVisible) => ({
  inputUncached: 1,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible,
  reasoning: 0,
  feesMicrousd: 0,
}))

/** Generates thinking in which one index always has one kind, as providers send it. */
const thinking = fc
  .record({ choice, index, text, signature: fc.constantFrom('', 's') })
  .map(({ signature, ...piece }): StreamEvent => ({
    type: 'thinking',
    choice: piece.choice,
    index: piece.index,
    piece:
      piece.index === 2
        ? { type: 'redacted_thinking', data: piece.text }
        : { type: 'thinking', thinking: piece.text, signature },
  }))

const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), choice, text }),
  fc.record({ type: fc.constant('refusal' as const), choice, text }),
  fc.record({ type: fc.constant('tool_arguments' as const), choice, index, fragment: text }),
  fc.record({ type: fc.constant('model' as const), model: text }),
  fc.record({ type: fc.constant('usage' as const), usage }),
  fc.record({
    type: fc.constant('citations' as const),
    citations: fc.constant([{ url: 'https://x.example', title: null }]),
  }),
  fc.record({ type: fc.constant('signature' as const), choice, signature: text }),
  fc.record({
    type: fc.constant('finish' as const),
    choice,
    reason: fc.constantFrom('stop' as const, 'length' as const),
  }),
  thinking,
)

/** Events that begin a stream and its calls. The arguments of the calls come afterwards. */
const BEGINNING: StreamEvent[] = [
  { type: 'start', id: 'an id', model: 'a model' },
  ...[0, 1].flatMap((of) =>
    [0, 1, 2].map((at): StreamEvent => ({ type: 'tool_call', choice: of, index: at, id: `call_${at}`, name: 'look' })),
  ),
]

const keep = (events: readonly StreamEvent[]) => {
  const kept = createStreamBuffer()
  for (const one of events) kept.add(one)
  return kept
}

describe('a kept stream', () => {
  it('comes to what the stream came to', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const all: StreamEvent[] = [...BEGINNING, ...events, { type: 'end' }]
        expect(assembleAnswer(keep(all).events())).toEqual(assembleAnswer(all))
      }),
    )
  })

  it('holds a long text of small pieces as one, and says what that takes', () => {
    const pieces = Array.from({ length: 10_000 }, (): StreamEvent => ({ type: 'text', choice: 0, text: 'abcd' }))
    const kept = keep(pieces)
    expect(kept.events()).toEqual([{ type: 'text', choice: 0, text: 'abcd'.repeat(10_000) }])
    expect(kept.bytes()).toBeGreaterThanOrEqual(80_000)
    expect(kept.bytes()).toBeLessThan(81_000)
  })

  it('does not grow by what is told again and again', () => {
    const told = Array.from({ length: 100 }, (): StreamEvent => ({ type: 'model', model: 'a model' }))
    expect(keep(told).bytes()).toBe(keep(told.slice(0, 1)).bytes())
  })
})
