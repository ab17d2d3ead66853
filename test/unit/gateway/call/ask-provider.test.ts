// Tests the deadlines of a call to a provider.
import { describe, expect, it } from 'vitest'
import { deadlinesOf } from '../../../../src/gateway/call/ask-provider.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { modelNamed } from '../../../fixtures/providers/models.ts'

describe('how long a provider may take', () => {
  const limits = { headersMs: 600_000, silenceMs: 600_000, totalMs: 840_000, stallMs: 1, keepAliveMs: 1 }
  const asked = (id: string, stream: boolean) => ({
    model: modelNamed(id),
    request: { messages: [textMessage('user', 'Hello')], stream },
  })

  it('is ten minutes of silence for a model that reasons, and less for one that does not', () => {
    expect(deadlinesOf(asked('gpt-5.6-luna', true), limits, Infinity)).toEqual({
      headersMs: 600_000,
      silenceMs: 600_000,
      totalMs: 840_000,
    })
    expect(deadlinesOf(asked('gpt-4.1-mini', true), limits, Infinity)).toMatchObject({
      headersMs: 120_000,
      silenceMs: 120_000,
    })
  })

  it('is the deployment’s for the whole of an answer in one piece, which is silent while it is written', () => {
    expect(deadlinesOf(asked('gpt-4.1-mini', false), limits, Infinity)).toMatchObject({ headersMs: 600_000 })
  })

  it('is never more than the deployment says, nor than the caller has left', () => {
    const strict = { ...limits, headersMs: 1_000, silenceMs: 2_000 }
    expect(deadlinesOf(asked('gpt-5.6-luna', true), strict, 3_000)).toEqual({
      headersMs: 1_000,
      silenceMs: 2_000,
      totalMs: 3_000,
    })
    expect(deadlinesOf(asked('gpt-5.6-luna', true), limits, 900_000).totalMs).toBe(840_000)
  })
})
