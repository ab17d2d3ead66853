// Tests the deadlines of a call to a provider, and the order of its routes.
import { describe, expect, it } from 'vitest'
import { askInTurn, orderOfRoutes } from '../../../../src/gateway/call/asked-routes.ts'
import { deadlinesOf } from '../../../../src/gateway/call/ask-provider.ts'
import { textMessage, type Message } from '../../../../src/providers/chat-request.ts'
import { NO_USAGE } from '../../../../src/providers/estimate-tokens.ts'
import { findRoutes } from '../../../../src/providers/model-catalogue.ts'
import { modelNamed, pricesOf } from '../../../fixtures/providers/models.ts'
import { upstreamFailure } from '../../../../src/providers/failure.ts'
import type { OpenStream } from '../../../../src/providers/provider-client.ts'

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

describe('the routes that a call is sent by, in turn', () => {
  const access = { baseUrl: 'https://provider.test', apiKey: 'k' }
  const routesTo = (...ids: string[]) =>
    ids.flatMap((id) => findRoutes(id).map((model) => ({ model, prices: pricesOf(id), upFront: NO_USAGE, access })))
  const [first, ...others] = routesTo('claude-haiku-5-5', 'gpt-6-luna', 'mistral-large-4')
  if (first === undefined) throw new Error('no route')
  const orderOf = (messages: Message[], bytes = 100) =>
    orderOfRoutes([first, ...others], { messages }, bytes).map(({ model }) => model.endpoint)
  const asked = [textMessage('user', 'Hello')]

  it('are two of its model, and one of each further model', () => {
    expect(orderOf(asked)).toEqual(['anthropic', 'bedrock-eu-west-1', 'openai', 'mistral-eu'])
  })

  it.each<[string, Message[], number]>([
    ['a request over a mebibyte', asked, 1024 * 1024 + 1],
    [
      'sealed thoughts',
      [...asked, { role: 'assistant', content: [], thinking: [{ type: 'redacted_thinking', data: 'a' }] }],
      100,
    ],
    ['a signed answer', [...asked, { role: 'assistant', content: [], signature: 'a' }], 100],
    [
      'a signed call',
      [
        ...asked,
        { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'b', arguments: '{}', signature: 'c' }] },
      ],
      100,
    ],
  ])('are one alone for %s', (_, messages, bytes) => expect(orderOf(messages, bytes)).toEqual(['anthropic']))

  it('are told although a fault of our own ends the call (a record named a provider that was not asked last)', async () => {
    const fault = new Error('a bug')
    const [refusing, failing] = [first, ...others]
    if (failing === undefined) throw new Error('no second route')
    const failure = upstreamFailure('access', { billed: 'no' })
    const { outcome, routes } = await askInTurn<OpenStream>([refusing, failing], ({ route }) =>
      route === refusing ? Promise.resolve({ ok: false, failure, ms: 1, attempts: 1 }) : Promise.reject(fault),
    )
    expect(outcome).toBeNull()
    expect(routes.last).toBe(failing)
    expect(routes.attempts).toMatchObject([{ model: refusing.model, cause: 'access' }])
  })
})
