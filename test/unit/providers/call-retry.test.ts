import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FailureCause } from '../../../src/providers/failure.ts'
import {
  defaultRetryPolicy,
  networkFailure,
  readRetryAfter,
  retryWaitMs,
  statusFailure,
} from '../../../src/providers/call-retry.policy.ts'
import { chatOf } from '../../fixtures/providers/index.ts'

const NOW = Date.UTC(2026, 8, 1)
const errors = {
  readRejection: chatOf('google').rejection,
  requestSizes: { messages: 1, tools: 0, turnsAfter: 0 },
}
const failure = (status: number, headers: HeadersInit = {}, body?: unknown) =>
  statusFailure({ status, headers: new Headers(headers), body }, errors, NOW)
const situation = { attempt: 0, waitedMs: 0, remainingMs: 60_000, random: 0.5, policy: defaultRetryPolicy }

describe('an error status', () => {
  it.each([429, 503, 529, 521, 522, 523, 525, 526, 530])('%i was not billed and may be tried again', (status) =>
    expect(failure(status)).toMatchObject({
      kind: 'provider_error',
      billed: 'no',
      retryable: true,
      upstreamStatus: status,
    }),
  )
  it.each([500, 502, 504, 520, 524])('%i may have been billed and is not tried again', (status) =>
    expect(failure(status)).toMatchObject({ billed: 'maybe', retryable: false }),
  )
  it.each([301, 400, 401, 402, 403, 404, 408, 413, 422])(
    '%i was not billed, and trying again would not help',
    (status) => expect(failure(status)).toMatchObject({ billed: 'no', retryable: false }),
  )
  it.each<[number, FailureCause]>([
    [400, 'refused'],
    [401, 'access'],
    [402, 'access'],
    [403, 'access'],
    [404, 'access'],
    [408, 'status'],
    [409, 'status'],
    [413, 'refused'],
    [422, 'refused'],
    [429, 'rate'],
    [500, 'status'],
    [503, 'overloaded'],
    [522, 'unreachable'],
    [529, 'overloaded'],
  ])('%i is told as %s', (status, cause) => {
    expect(failure(status).cause).toBe(cause)
    expect(failure(status).rejection === null).toBe(cause !== 'refused')
  })
  it('is not tried again where the provider says so', () =>
    expect(failure(529, { 'x-should-retry': 'false' }).retryable).toBe(false))
  it('keeps no word of what the provider wrote', () => {
    const body = { error: { message: 'Incorrect API key provided: sk-zebra', code: 'zebra', type: 'zebra' } }
    expect(JSON.stringify(failure(401, {}, body))).not.toContain('zebra')
  })
})

describe('a broken connection', () => {
  it('that never came about was not billed', () => {
    const refused = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
    expect(networkFailure(refused)).toMatchObject({ cause: 'unreachable', billed: 'no', retryable: true })
  })
  it('of which nothing is known may have reached the provider: not tried again', () => {
    for (const error of [new Error('Network connection lost.'), new TypeError('fetch failed'), 'odd', null]) {
      expect(networkFailure(error)).toMatchObject({ cause: 'cut', billed: 'maybe', retryable: false })
    }
  })
})

describe('how long to wait', () => {
  it.each<[HeadersInit, number | null]>([
    [{}, null],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '150', 'retry-after': '9' }, 150],
    [{ 'retry-after': 'Tue, 01 Sep 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Mon, 31 Aug 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': '99999999999' }, 99_999_999_999_000],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
  ])('%j asks for %j ms', (headers, ms) => expect(readRetryAfter(new Headers(headers), NOW)).toBe(ms))

  it.each([false, true])('reads Gemini’s RetryInfo (in a list: %j)', (inList) => {
    const body = { error: { code: 429, details: [{ '@type': 'x' }, { retryDelay: '1.5s' }] } }
    expect(failure(429, {}, inList ? [body] : body).retryAfterMs).toBe(1_500)
  })

  it('is never shorter than asked for, never beyond the deadline, and bounded in number and in all', () => {
    const numbers = {
      attempt: fc.nat(4),
      waitedMs: fc.nat(6_000),
      remainingMs: fc.nat(20_000),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    }
    fc.assert(
      fc.property(fc.record(numbers), fc.option(fc.nat(30_000)), (some, retryAfterMs) => {
        const waitMs = retryWaitMs({ ...failure(429), retryAfterMs }, { ...some, policy: defaultRetryPolicy })
        if (waitMs === null) return
        expect(some.attempt).toBeLessThan(defaultRetryPolicy.retries)
        expect(some.waitedMs + waitMs).toBeLessThanOrEqual(5_000)
        expect(waitMs).toBeLessThan(some.remainingMs)
        expect(waitMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0)
        expect(waitMs).toBeLessThanOrEqual(Math.max(retryAfterMs ?? 0, defaultRetryPolicy.capMs))
      }),
    )
  })
  it('is five seconds in all and not a millisecond more', () => {
    const asked = (retryAfterMs: number, waitedMs: number) =>
      retryWaitMs({ ...failure(429), retryAfterMs }, { ...situation, waitedMs, attempt: 1 })
    expect([asked(5_000, 0), asked(3_000, 2_000), asked(1_000, 4_500), asked(5_001, 0)]).toEqual([
      5_000,
      3_000,
      null,
      null,
    ])
  })
  it('doubles, and is shortened by chance', () => {
    expect(retryWaitMs(failure(503), situation)).toBe(125)
    expect(retryWaitMs(failure(503), { ...situation, attempt: 1 })).toBe(250)
    expect(retryWaitMs(failure(503), { ...situation, random: 0 })).toBe(0)
  })
  it('is no time at all where repeating is not safe', () => expect(retryWaitMs(failure(500), situation)).toBeNull())
})
