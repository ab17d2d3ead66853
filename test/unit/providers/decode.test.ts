import { PROVIDER_IDS, type ProviderId } from '../../../src/providers/provider-registry.ts'
import { describe, expect, it } from 'vitest'
import { standardUsage, type Answer } from '../../../src/providers/chat-answer.ts'
import { parseJson } from '../../../src/providers/lossless-json.ts'
import { anthropic } from '../../fixtures/providers/anthropic.ts'
import { google } from '../../fixtures/providers/google.ts'
import { mistral } from '../../fixtures/providers/mistral.ts'
import { openai } from '../../fixtures/providers/openai.ts'
import { perplexity } from '../../fixtures/providers/perplexity.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../fixtures/providers/index.ts'

function decode(provider: ProviderId, body: unknown): Answer {
  const decoded = chatOf(provider).decode(body)
  if (!decoded.ok) throw new Error(`failed: ${decoded.failure.cause}`)
  return decoded.answer
}

function causeOf(provider: ProviderId, body: unknown): string | null {
  const decoded = chatOf(provider).decode(body)
  return decoded.ok ? null : `${decoded.failure.kind} ${decoded.failure.cause}`
}

describe('an answer in one piece', () => {
  it.each(EACH_PROVIDER)('%s: text, two parallel calls, and why it stopped', (provider, { answer }) => {
    const [choice] = decode(provider, answer).choices
    expect(choice).toMatchObject({ index: 0, text: 'Grüße 👋', finishReason: 'tool_calls' })
    expect(choice?.toolCalls.map((call) => [call.name, call.arguments])).toEqual([
      ['look', '{"at":"left"}'],
      ['look', '{}'],
    ])
    expect(new Set(choice?.toolCalls.map((call) => call.id)).size).toBe(2)
  })

  it.each(EACH_PROVIDER)(
    '%s: usage, cached and thought tokens counted once',
    (provider, { answer, usage: reported }) => {
      const { usage } = decode(provider, answer)
      expect(usage && standardUsage(usage)).toEqual({
        prompt_tokens: 100,
        completion_tokens: 30,
        total_tokens: 130,
        prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: reported.written },
        completion_tokens_details: { reasoning_tokens: reported.thought },
      })
    },
  )

  it('counts Anthropic’s cache reads and writes beside its input, which leaves them out (cache tokens billed twice or not at all)', () => {
    expect(decode('anthropic', anthropic.answer).usage).toMatchObject({
      inputUncached: 50,
      cacheRead: 40,
      cacheWrite: 10,
    })
  })

  it('tells what Anthropic keeps for an hour from what it keeps for minutes, within the sum it reports', () => {
    const written = (hour: number) => ({
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_1h_input_tokens: hour },
    })
    const usageOf = (usage: object) => decode('anthropic', { ...anthropic.answer, usage }).usage
    expect(usageOf(written(7))).toMatchObject({ cacheWrite: 3, cacheWriteHour: 7 })
    expect(usageOf(written(99))).toMatchObject({ cacheWrite: 0, cacheWriteHour: 10 })
    const parts = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 7 }
    expect(usageOf({ cache_creation: parts })).toMatchObject({ cacheWrite: 3, cacheWriteHour: 7 })
  })

  it('takes explicit zeros for a usage, not for a missing one (zero usage re-estimated: over-billing)', () => {
    const zeros = { ...openai.answer, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
    expect(decode('openai', zeros).usage).toMatchObject({ inputUncached: 0, outputVisible: 0 })
    expect(decode('openai', { ...openai.answer, usage: null }).usage).toBeNull()
    expect(decode('google', { ...google.answer, usageMetadata: undefined }).usage).toBeNull()
  })

  it('keeps Perplexity’s search fees, which are outside the tokens, and its sources', () => {
    const { usage, citations } = decode('perplexity', perplexity.answer)
    expect(usage?.feesMicrousd).toBe(5_000)
    expect(citations).toEqual([{ url: 'https://example.org/a', title: 'A' }])
  })

  it('reads several choices', () => {
    const [choice] = openai.answer.choices
    const many = { ...openai.answer, choices: [choice, { ...choice, index: 1 }, { ...choice, index: 2 }] }
    expect(decode('openai', many).choices.map(({ index }) => index)).toEqual([0, 1, 2])
    const [candidate] = google.answer.candidates
    const both = { ...google.answer, candidates: [candidate, { ...candidate, index: undefined }] }
    expect(decode('google', both).choices.map(({ index }) => index)).toEqual([0, 1])
  })

  it.each<ProviderId>(['google', 'mistral'])('never shows what a model of %s thought', (provider) => {
    expect(JSON.stringify(decode(provider, MATERIAL[provider].answer))).not.toContain('aloud')
  })

  it('is malformed where Mistral sends content that cannot be read', () => {
    const withContent = (content: unknown) => ({
      ...mistral.answer,
      choices: [{ index: 0, finish_reason: 'stop', message: { content } }],
    })
    expect(decode('mistral', withContent([{ type: 'reference', reference_ids: [1] }])).choices[0]?.text).toBe('')
    for (const content of [7, {}, [{ type: 'text' }], ['text']]) {
      expect(causeOf('mistral', withContent(content))).toBe('invalid_answer malformed')
    }
  })
})

describe('tool call ids', () => {
  it('are minted, stable and different, where Gemini gives none', () => {
    const parts = [1, 2].map(() => ({ functionCall: { name: 'look', args: {} } }))
    const body = { ...google.answer, candidates: [{ index: 0, content: { parts }, finishReason: 'STOP' }] }
    const ids = () => decode('google', body).choices[0]?.toolCalls.map(({ id }) => id)
    expect(ids()).toEqual(['call_aBc9_0_0', 'call_aBc9_0_1'])
    expect(ids()).toEqual(ids())
  })
  it('are different where Gemini gives one twice', () => {
    const parts = [1, 2].map(() => ({ functionCall: { name: 'look', id: 'same' } }))
    const body = { ...google.answer, candidates: [{ index: 0, content: { parts }, finishReason: 'STOP' }] }
    expect(decode('google', body).choices[0]?.toolCalls.map(({ id }) => id)).toEqual(['same', 'call_aBc9_0_1'])
  })
  it('keep Gemini’s own, and the thought signature that must be handed back', () => {
    const [call] = decode('google', google.answer).choices[0]?.toolCalls ?? []
    expect(call).toMatchObject({ id: 'fc_1', signature: 'c2ln' })
  })
})

describe('what is no answer is an error value', () => {
  it.each(PROVIDER_IDS)('%s: anything but the documented shape', (provider) => {
    const broken = [
      null,
      undefined,
      'text',
      7,
      [],
      {},
      { choices: [] },
      { content: 'x' },
      { candidates: [] },
      { id: 1 },
      { __type: 'com.amazon.coral.service#UnknownOperationException' },
      { Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' },
    ]
    for (const body of broken) expect(causeOf(provider, body)).toBe('invalid_answer malformed')
  })

  it.each(EACH_PROVIDER.flatMap(([provider, { errors }]) => errors.whole.map((body) => [provider, body] as const)))(
    '%s: an error inside a 200, whose words go no further',
    (provider, body) => {
      const decoded = chatOf(provider).decode(body)
      expect(decoded).toMatchObject({
        ok: false,
        failure: { kind: 'provider_error', billed: 'maybe', retryable: false },
      })
      expect(JSON.stringify(decoded)).not.toContain('zebra')
    },
  )

  it('and what it says it has used is kept', () => {
    const failed = { ...perplexity.answer, status: 'failed', error: { message: 'zebra' } }
    expect(chatOf('perplexity').decode(failed)).toMatchObject({
      ok: false,
      usage: { inputUncached: 60, cacheRead: 40, outputVisible: 30, feesMicrousd: 5_000 },
    })
    for (const [provider, { answer, holder }] of EACH_PROVIDER) {
      const { usage } = decode(provider, answer)
      const broken = { ...answer, [holder]: 1 }
      expect(chatOf(provider).decode(broken)).toMatchObject({ ok: false, failure: { cause: 'malformed' }, usage })
    }
    const unformed = { ...google.answer, candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }
    expect(chatOf('google').decode(unformed)).toMatchObject({
      ok: false,
      failure: { cause: 'malformed' },
      usage: { inputUncached: 60, cacheRead: 40, reasoning: 10 },
    })
  })
})

describe('arguments that come as an object', () => {
  const atAnthropic = (input: string) =>
    decode('anthropic', parseJson(JSON.stringify({ ...anthropic.answer, content: [CALL] }).replace('"IN"', input)))
  const atGoogle = (args: string) =>
    decode('google', parseJson(JSON.stringify({ ...google.answer, candidates: [CANDIDATE] }).replace('"IN"', args)))
  const CALL = { type: 'tool_use', id: 'a', name: 'look', input: 'IN' }
  const CANDIDATE = { content: { parts: [{ functionCall: { name: 'look', args: 'IN' } }] }, finishReason: 'STOP' }

  it.each([atAnthropic, atGoogle])('keep every digit of a number (an id told as its neighbour)', (decoded) => {
    const text = '{"id":12345678901234567891,"far":1e400,"near":[7,0.1,-9007199254740993]}'
    expect(decoded(text).choices[0]?.toolCalls[0]?.arguments).toBe(text)
  })
})

describe('what is to be handed back with an answer', () => {
  it('Anthropic’s thinking blocks, in order and unchanged, without those that broke off', () => {
    const thinking = [
      { type: 'thinking', thinking: 'hm, so', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
    ]
    expect(decode('anthropic', anthropic.answer).choices[0]?.thinking).toEqual(thinking)
    const unsigned = { ...anthropic.answer, content: [{ type: 'thinking', thinking: 'hm' }] }
    expect(decode('anthropic', unsigned).choices[0]?.thinking).toBeUndefined()
  })

  it('none of Anthropic’s where one stands behind what was said, whose place would be lost', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
    const thinkingOf = (...content: object[]) =>
      decode('anthropic', { ...anthropic.answer, content }).choices[0]?.thinking
    const said = { type: 'text', text: 'Hi' }
    expect(thinkingOf(thought, thought, said)).toHaveLength(2)
    expect(thinkingOf(thought, said, thought)).toBeUndefined()
    const content = [thought, said, thought]
    expect(decode('anthropic', { ...anthropic.answer, content }).choices[0]?.thoughts).toHaveLength(2)
    expect(thinkingOf(thought, { type: 'server_tool_use' }, thought, said)).toBeUndefined()
  })

  it('Gemini’s signature of the text, which may stand on a part without any', () => {
    const signatureOf = (parts: object[]) =>
      decode('google', { ...google.answer, candidates: [{ content: { parts }, finishReason: 'STOP' }] }).choices[0]
        ?.signature
    expect(decode('google', google.answer).choices[0]?.signature).toBe('ZW5k')
    expect(signatureOf([{ text: 'Hi', thoughtSignature: 'YQ==' }])).toBe('YQ==')
    expect(signatureOf([{ thoughtSignature: 'YQ==' }, { text: 'Hi', thoughtSignature: 'Yg==' }])).toBe('Yg==')
    expect(signatureOf([{ text: 'Hi' }])).toBeUndefined()
    expect(signatureOf([{ text: 'hm', thought: true, thoughtSignature: 'YQ==' }])).toBeUndefined()
    expect(signatureOf([{ functionCall: { name: 'look' }, thoughtSignature: 'YQ==' }])).toBeUndefined()
  })
})
