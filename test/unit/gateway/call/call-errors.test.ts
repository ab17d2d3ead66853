import { describe, expect, it } from 'vitest'
import { upstreamError } from '../../../../src/gateway/call/call-errors.ts'
import { upstreamFailure } from '../../../../src/providers/failure.ts'
import { AQTA } from '../stream/writing.ts'

const FORM = { memberName: (name: string) => name }

describe('a provider that stops in the middle of its answer', () => {
  it('by its own rules on content is told as that, and that it is charged', () => {
    const failure = upstreamFailure('error_event', { rejection: { reason: 'content', member: null } })
    const { code, message, details } = upstreamError(failure, AQTA, FORM)
    expect(code).toBe('provider_error')
    expect(message).toMatch(/its own content rules.*is charged/)
    expect(details.headers).toEqual({ 'x-should-retry': 'false' })
  })

  it('for another reason is told as no more than that', () =>
    expect(upstreamError(upstreamFailure('error_event'), AQTA, FORM).message).toMatch(/could not complete the call/))
})

describe('a provider that was busy, and then nobody was there, or time was up', () => {
  it('is told as busy, since the request was there', () => {
    const { code, message } = upstreamError(
      upstreamFailure('unreachable', { billed: 'no', retryable: true, isReached: true }),
      AQTA,
      FORM,
    )
    expect(code).toBe('service_unavailable')
    expect(message).toContain('has not done anything')
  })

  it('is told as not having taken the call in time', () => {
    const { code, message } = upstreamError(upstreamFailure('deadline', { billed: 'no', isReached: true }), AQTA, FORM)
    expect([code, message]).toEqual([
      'provider_timeout',
      expect.stringContaining('before the provider accepted the call'),
    ])
  })
})
