import { describe, expect, it } from 'vitest'
import { adapters } from '../../../src/providers/adapter-by-dialect.ts'
import { standardUsage, type Answer } from '../../../src/providers/chat-answer.ts'
import type { Dialect } from '../../../src/providers/provider-registry.ts'
import { parseJson } from '../../../src/providers/lossless-json.ts'
import {
  answers,
  anthropicAnswer,
  dialects,
  geminiAnswer,
  mistralAnswer,
  openAiAnswer,
  perplexityAnswer,
} from '../../fixtures/providers/answers.ts'

function decode(dialect: Dialect, body: unknown): Answer {
  const decoded = adapters[dialect].decode(body)
  if (!decoded.ok) throw new Error(`failed: ${decoded.failure.cause}`)
  return decoded.answer
}

function causeOf(dialect: Dialect, body: unknown): string | null {
  const decoded = adapters[dialect].decode(body)
  return decoded.ok ? null : `${decoded.failure.kind} ${decoded.failure.cause}`
}

describe('an answer in one piece', () => {
  it.each(dialects)('%s: text, two parallel calls, and why it stopped', (dialect) => {
    const [choice] = decode(dialect, answers[dialect]).choices
    expect(choice).toMatchObject({ index: 0, text: 'Grüße 👋', finishReason: 'tool_calls' })
    expect(choice?.toolCalls.map((call) => [call.name, call.arguments])).toEqual([
      ['look', '{"at":"left"}'],
      ['look', '{}'],
    ])
    expect(new Set(choice?.toolCalls.map((call) => call.id)).size).toBe(2)
  })

  it.each<[Dialect, number, number, number, number, number]>([
    ['openai-chat', 100, 30, 40, 0, 10],
    ['anthropic-messages', 100, 30, 40, 10, 10],
    ['gemini-generate', 100, 30, 40, 0, 10],
    ['perplexity-agent', 100, 30, 40, 0, 0],
    ['mistral-chat', 100, 30, 40, 0, 0],
  ])('%s: usage, cached and thought tokens counted once', (dialect, prompt, completion, cached, written, reasoning) => {
    const { usage } = decode(dialect, answers[dialect])
    expect(usage && standardUsage(usage)).toEqual({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      completion_tokens_details: { reasoning_tokens: reasoning },
    })
  })

  it('counts Anthropic’s cache reads and writes beside its input, which leaves them out (cache tokens billed twice or not at all)', () => {
    expect(decode('anthropic-messages', anthropicAnswer).usage).toMatchObject({
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
    const usageOf = (usage: object) => decode('anthropic-messages', { ...anthropicAnswer, usage }).usage
    expect(usageOf(written(7))).toMatchObject({ cacheWrite: 3, cacheWriteHour: 7 })
    expect(usageOf(written(99))).toMatchObject({ cacheWrite: 0, cacheWriteHour: 10 })
    const parts = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 7 }
    expect(usageOf({ cache_creation: parts })).toMatchObject({ cacheWrite: 3, cacheWriteHour: 7 })
  })

  it('takes explicit zeros for a usage, not for a missing one (zero usage re-estimated: over-billing)', () => {
    const zeros = { ...openAiAnswer, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
    expect(decode('openai-chat', zeros).usage).toMatchObject({ inputUncached: 0, outputVisible: 0 })
    expect(decode('openai-chat', { ...openAiAnswer, usage: null }).usage).toBeNull()
    expect(decode('gemini-generate', { ...geminiAnswer, usageMetadata: undefined }).usage).toBeNull()
  })

  it('keeps Perplexity’s search fees, which are outside the tokens, and its sources', () => {
    const { usage, citations } = decode('perplexity-agent', perplexityAnswer)
    expect(usage?.feesMicrousd).toBe(5_000)
    expect(citations).toEqual([{ url: 'https://example.org/a', title: 'A' }])
  })

  it('reads several choices', () => {
    const [choice] = openAiAnswer.choices
    const many = { ...openAiAnswer, choices: [choice, { ...choice, index: 1 }, { ...choice, index: 2 }] }
    expect(decode('openai-chat', many).choices.map(({ index }) => index)).toEqual([0, 1, 2])
    const [candidate] = geminiAnswer.candidates
    const both = { ...geminiAnswer, candidates: [candidate, { ...candidate, index: undefined }] }
    expect(decode('gemini-generate', both).choices.map(({ index }) => index)).toEqual([0, 1])
  })

  it.each<Dialect>(['gemini-generate', 'mistral-chat'])('never shows what a model of %s thought', (dialect) => {
    expect(JSON.stringify(decode(dialect, answers[dialect]))).not.toContain('thinking aloud')
  })

  it('is malformed where Mistral sends content that cannot be read', () => {
    const withContent = (content: unknown) => ({
      ...mistralAnswer,
      choices: [{ index: 0, finish_reason: 'stop', message: { content } }],
    })
    expect(decode('mistral-chat', withContent([{ type: 'reference', reference_ids: [1] }])).choices[0]?.text).toBe('')
    for (const content of [7, {}, [{ type: 'text' }], ['text']]) {
      expect(causeOf('mistral-chat', withContent(content))).toBe('invalid_answer malformed')
    }
  })
})

describe('tool call ids', () => {
  it('are minted, stable and different, where Gemini gives none', () => {
    const parts = [1, 2].map(() => ({ functionCall: { name: 'look', args: {} } }))
    const body = { ...geminiAnswer, candidates: [{ index: 0, content: { parts }, finishReason: 'STOP' }] }
    const ids = () => decode('gemini-generate', body).choices[0]?.toolCalls.map(({ id }) => id)
    expect(ids()).toEqual(['call_aBc9_0_0', 'call_aBc9_0_1'])
    expect(ids()).toEqual(ids())
  })
  it('are different where Gemini gives one twice', () => {
    const parts = [1, 2].map(() => ({ functionCall: { name: 'look', id: 'same' } }))
    const body = { ...geminiAnswer, candidates: [{ index: 0, content: { parts }, finishReason: 'STOP' }] }
    expect(decode('gemini-generate', body).choices[0]?.toolCalls.map(({ id }) => id)).toEqual(['same', 'call_aBc9_0_1'])
  })
  it('keep Gemini’s own, and the thought signature that must be handed back', () => {
    const [call] = decode('gemini-generate', geminiAnswer).choices[0]?.toolCalls ?? []
    expect(call).toMatchObject({ id: 'fc_1', signature: 'c2ln' })
  })
})

describe('what is no answer is an error value', () => {
  it.each(dialects)('%s: anything but the documented shape', (dialect) => {
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
    for (const body of broken) expect(causeOf(dialect, body)).toBe('invalid_answer malformed')
  })

  it.each<[Dialect, object]>([
    ['openai-chat', { error: { message: 'Incorrect API key provided: sk-zebra', code: 'invalid_api_key' } }],
    ['anthropic-messages', { type: 'error', error: { type: 'api_error', message: 'zebra' } }],
    ['gemini-generate', { error: { code: 500, message: 'zebra', status: 'INTERNAL' } }],
    ['mistral-chat', { object: 'error', message: 'zebra', type: 'server_error', param: null, code: null }],
    ['perplexity-agent', { ...perplexityAnswer, status: 'failed', error: { message: 'zebra' } }],
    ['perplexity-agent', { ...perplexityAnswer, status: 'cancelled' }],
    ['perplexity-agent', { ...perplexityAnswer, status: 'in_progress' }],
  ])('%s: an error inside a 200, whose words go no further', (dialect, body) => {
    const decoded = adapters[dialect].decode(body)
    expect(decoded).toMatchObject({ ok: false, failure: { kind: 'provider_error', billed: 'maybe', retryable: false } })
    expect(JSON.stringify(decoded)).not.toContain('zebra')
  })

  it('and what it says it has used is kept', () => {
    const failed = { ...perplexityAnswer, status: 'failed', error: { message: 'zebra' } }
    expect(adapters['perplexity-agent'].decode(failed)).toMatchObject({
      ok: false,
      usage: { inputUncached: 60, cacheRead: 40, outputVisible: 30, feesMicrousd: 5_000 },
    })
    for (const dialect of dialects) {
      const { usage } = decode(dialect, answers[dialect])
      const broken = { ...answers[dialect], choices: 1, content: 1, candidates: 1, output: 1 }
      expect(adapters[dialect].decode(broken)).toMatchObject({ ok: false, failure: { cause: 'malformed' }, usage })
    }
    const unformed = { ...geminiAnswer, candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }
    expect(adapters['gemini-generate'].decode(unformed)).toMatchObject({
      ok: false,
      failure: { cause: 'malformed' },
      usage: { inputUncached: 60, cacheRead: 40, reasoning: 10 },
    })
  })
})

describe('arguments that come as an object', () => {
  const anthropic = (input: string) =>
    decode(
      'anthropic-messages',
      parseJson(JSON.stringify({ ...anthropicAnswer, content: [CALL] }).replace('"IN"', input)),
    )
  const gemini = (args: string) =>
    decode(
      'gemini-generate',
      parseJson(JSON.stringify({ ...geminiAnswer, candidates: [CANDIDATE] }).replace('"IN"', args)),
    )
  const CALL = { type: 'tool_use', id: 'a', name: 'look', input: 'IN' }
  const CANDIDATE = { content: { parts: [{ functionCall: { name: 'look', args: 'IN' } }] }, finishReason: 'STOP' }

  it.each([anthropic, gemini])('keep every digit of a number (an id told as its neighbour)', (decoded) => {
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
    expect(decode('anthropic-messages', anthropicAnswer).choices[0]?.thinking).toEqual(thinking)
    const unsigned = { ...anthropicAnswer, content: [{ type: 'thinking', thinking: 'hm' }] }
    expect(decode('anthropic-messages', unsigned).choices[0]?.thinking).toBeUndefined()
  })

  it('none of Anthropic’s where one stands behind what was said, whose place would be lost', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
    const thinkingOf = (...content: object[]) =>
      decode('anthropic-messages', { ...anthropicAnswer, content }).choices[0]?.thinking
    const said = { type: 'text', text: 'Hi' }
    expect(thinkingOf(thought, thought, said)).toHaveLength(2)
    expect(thinkingOf(thought, said, thought)).toBeUndefined()
    const content = [thought, said, thought]
    expect(decode('anthropic-messages', { ...anthropicAnswer, content }).choices[0]?.thoughts).toHaveLength(2)
    expect(thinkingOf(thought, { type: 'server_tool_use' }, thought, said)).toBeUndefined()
  })

  it('Gemini’s signature of the text, which may stand on a part without any', () => {
    const signatureOf = (parts: object[]) =>
      decode('gemini-generate', { ...geminiAnswer, candidates: [{ content: { parts }, finishReason: 'STOP' }] })
        .choices[0]?.signature
    expect(decode('gemini-generate', geminiAnswer).choices[0]?.signature).toBe('ZW5k')
    expect(signatureOf([{ text: 'Hi', thoughtSignature: 'YQ==' }])).toBe('YQ==')
    expect(signatureOf([{ thoughtSignature: 'YQ==' }, { text: 'Hi', thoughtSignature: 'Yg==' }])).toBe('Yg==')
    expect(signatureOf([{ text: 'Hi' }])).toBeUndefined()
    expect(signatureOf([{ text: 'hm', thought: true, thoughtSignature: 'YQ==' }])).toBeUndefined()
    expect(signatureOf([{ functionCall: { name: 'look' }, thoughtSignature: 'YQ==' }])).toBeUndefined()
  })
})
