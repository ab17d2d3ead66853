// Streams of other forms as the standard's chunks.
import { describe, expect, it } from 'vitest'
import { createTranslatedWriter } from '../../../../src/gateway/chat/translated.ts'
import { dialectModels } from '../../../fixtures/providers/models.ts'
import { streams } from '../../../fixtures/providers/streams.ts'
import { AQTA, chunkOf, fail, finish, itemsOf, push, USAGE } from '../stream/writing.ts'

const write = (includeUsage = false) =>
  createTranslatedWriter({ id: 'chatcmpl-1', created: 1_790_000_000, model: 'asked-for', includeUsage })

const translated = dialectModels.filter(({ wire }) => wire.dialect !== 'openai-chat')

describe.each(translated.map((model) => [model.wire.dialect, model] as const))('a stream of %s', (dialect, model) => {
  const isSearching = dialect.startsWith('perplexity')

  it('says the same in the standard’s chunks', async () => {
    const writer = write()
    const sent = [...push(writer, await itemsOf(model, streams[dialect])), ...finish(writer)]
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
    const sent = [...push(writer, await itemsOf(model, streams[dialect])), ...finish(writer)]
    const chunks = sent.slice(0, -1).map(chunkOf)
    expect(chunks.at(-1)).toMatchObject({ id: 'chatcmpl-1', choices: [], usage: USAGE, aqta: AQTA })
    expect(chunks.slice(0, -1).every(({ usage, aqta }) => usage === null && aqta === undefined)).toBe(true)
  })

  it('cut anywhere, ends in an error and in nothing else', async () => {
    for (const share of [0.2, 0.5, 0.8]) {
      const writer = write()
      const body = streams[dialect].slice(0, streams[dialect].length * share)
      const sent = [...push(writer, await itemsOf(model, body)), ...fail(writer)]
      expect(sent.at(-1)).toBe('data: {"error":{"code":"provider_error"}}\n\n')
      expect(sent.join('')).not.toContain('[DONE]')
    }
  })
})

describe('a tool call', () => {
  it('that has a thought signature carries it where Google’s own endpoint does', async () => {
    const model = dialectModels.find(({ wire }) => wire.dialect === 'gemini-generate')
    if (model === undefined) throw new Error('no such model')
    const sent = push(write(), await itemsOf(model, streams['gemini-generate'])).join('')
    expect(sent).toContain('"extra_content":{"google":{"thought_signature":"c2ln"}}')
  })
})
