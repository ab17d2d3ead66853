// Streams of other forms as the standard's chunks.
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'
import { presentReasoning } from '../../../../../src/gateway/operations/chat/chat-completion.ts'
import { AnswerHasher } from '../../../../../src/evidence/records/answer-hasher.ts'
import { createChunkWriter } from '../../../../../src/gateway/operations/chat/chunk-writer.ts'
import { AQTA, chunkOf, fail, finish, itemsOf, push, USAGE } from '../../stream/writing.ts'
import { anthropic } from '../../../../fixtures/providers/anthropic.ts'
import { google } from '../../../../fixtures/providers/google.ts'
import { perplexity } from '../../../../fixtures/providers/perplexity.ts'
import { chatOf, EACH_PROVIDER, MATERIAL } from '../../../../fixtures/providers/index.ts'
import { dataStream, namedStream } from '../../../../fixtures/providers/material.ts'
import type { ProviderId } from '../../../../../src/providers/provider-registry.ts'

const write = (includeUsage = false) =>
  createChunkWriter({
    id: 'chatcmpl-1',
    created: 1_790_000_000,
    model: 'asked-for',
    includeUsage,
    hasher: new AnswerHasher(),
  })

const translated = EACH_PROVIDER.filter(([, { model }]) => !chatOf(model.provider).standardChunks)

describe.each(translated)('a stream of %s', (provider, { model, stream }) => {
  const isSearching = provider.startsWith('perplexity')

  it('says the same in the standard’s chunks', async () => {
    const writer = write()
    const sent = [...push(writer, await itemsOf(model, stream)), ...finish(writer)]
    expect(sent.pop()).toBe('data: [DONE]\n\n')
    const chunks = sent.map(chunkOf)
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`))).toEqual(new Set(['chatcmpl-1 1790000000']))
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toHaveLength(1)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Grüße 👋')
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason !== null)).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)?.aqta).toEqual(AQTA)
    expect(chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true)
    if (isSearching) expect(chunks.at(-1)?.citations).toEqual(['https://example.org/a'])
  })

  it('puts usage and aqta on a chunk of their own where usage was asked for', async () => {
    const writer = write(true)
    const sent = [...push(writer, await itemsOf(model, stream)), ...finish(writer)]
    const chunks = sent.slice(0, -1).map(chunkOf)
    expect(chunks.at(-1)).toMatchObject({ id: 'chatcmpl-1', choices: [], usage: USAGE, aqta: AQTA })
    expect(chunks.slice(0, -1).every(({ usage, aqta }) => usage === null && aqta === undefined)).toBe(true)
  })

  it('cut anywhere, ends in an error and in nothing else', async () => {
    for (const share of [0.2, 0.5, 0.8]) {
      const writer = write()
      const body = stream.slice(0, stream.length * share)
      const sent = [...push(writer, await itemsOf(model, body)), ...fail(writer)]
      expect(sent.at(-1)).toBe('data: {"error":{"code":"provider_error"}}\n\n')
      expect(sent.join('')).not.toContain('[DONE]')
    }
  })
})

/** Assembles the stream with OpenAI’s Node SDK. */
async function assembled(provider: ProviderId, body: string) {
  const writer = write()
  const sent = [...push(writer, await itemsOf(MATERIAL[provider].model, body)), ...finish(writer)]
  const chunks = sent.slice(0, -1).map((event) => `${JSON.stringify(chunkOf(event))}\n`)
  const stream = ChatCompletionStream.fromReadableStream(new Blob([chunks.join('')]).stream())
  return { sent, message: (await stream.finalChatCompletion()).choices[0]?.message }
}

/** Decodes the same answer in one piece. */
function whole(provider: ProviderId, body: object) {
  const decoded = chatOf(provider).decode(body)
  return decoded.ok ? presentReasoning(decoded.answer.choices[0] ?? {}) : null
}

describe('what is to be handed back with the next turn', () => {
  it('a thought signature of a call stands where Google’s own endpoint has it', async () => {
    const { sent } = await assembled('google', google.stream)
    expect(sent.join('')).toContain('"extra_content":{"google":{"thought_signature":"c2ln"}}')
  })

  it.each([
    ['anthropic', anthropic.answer],
    ['google', google.answer],
  ] as const)(
    '%s: is the same streamed and in one piece, and comes once, before the finish',
    async (provider, answer) => {
      const { sent, message } = await assembled(provider, MATERIAL[provider].stream)
      const { extra_content: extra } = whole(provider, answer) ?? {}
      expect(extra).toBeDefined()
      expect(message).toMatchObject({ content: 'Grüße 👋', extra_content: extra })
      const told = sent.slice(0, -1).filter((event) => 'extra_content' in (chunkOf(event).choices[0]?.delta ?? {}))
      expect(told).toEqual([sent.at(-3)])
    },
  )

  it('of Anthropic’s is every block with its index, its signature and its text', async () => {
    const { message } = await assembled('anthropic', anthropic.stream)
    expect(message).toMatchObject({
      extra_content: {
        anthropic: {
          thinking_blocks: [
            { index: 0, type: 'thinking', thinking: 'hm, so', signature: 'c2ln' },
            { index: 1, type: 'redacted_thinking', data: 'aGlkZGVu' },
          ],
        },
      },
    })
  })

  it('is counted while it is kept, and let go with the finish', async () => {
    const writer = write()
    const items = await itemsOf(anthropic.model, anthropic.stream)
    const held = items.map((item) => {
      writer.push(item)
      return writer.bufferedBytes()
    })
    expect(Math.max(...held)).toBe('hm, so'.length + 'c2ln'.length + 'aGlkZGVu'.length)
    expect(held.at(-1)).toBe(0)
  })

  it('is nothing where there is nothing, or a block broke off', async () => {
    const unsigned = [
      { type: 'message_start', message: { id: 'msg_1', model: 'm' } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'hm' } },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { type: 'message_stop' },
    ]
    for (const [provider, body] of [
      ['anthropic', namedStream(unsigned)],
      ['perplexity', perplexity.stream],
    ] as const) {
      expect((await assembled(provider, body)).sent.join('')).not.toContain('extra_content')
    }
  })
})

describe('the model', () => {
  it('that answered is named from when it is known', async () => {
    const response = { ...perplexity.answer, model: 'perplexity/other' }
    const body = dataStream([
      { type: 'response.created', response: { id: 'resp_1', model: 'perplexity/sonar' } },
      { type: 'response.output_text.delta', delta: 'Hi' },
      { type: 'response.completed', response },
    ])
    const writer = write()
    const sent = [...push(writer, await itemsOf(perplexity.model, body)), ...finish(writer)]
    const models = sent.slice(0, -1).map((event) => chunkOf(event).model)
    expect([models[0], models.at(-1)]).toEqual(['perplexity/sonar', 'perplexity/other'])
  })
})
