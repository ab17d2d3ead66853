import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Answer } from '../../../src/providers/chat-answer.ts'
import { decodePerplexityAgent } from '../../../src/providers/perplexity/answer.ts'
import { createPerplexityDecoder } from '../../../src/providers/perplexity/stream.ts'
import { decodeObjects } from './decoding.ts'
import { perplexity } from '../../fixtures/providers/perplexity.ts'

type Json = Record<string, unknown>

const message = (id: string | undefined, text: string) => ({
  type: 'message',
  id,
  content: [{ type: 'output_text', text }],
})
const call = (name: string) => ({ type: 'function_call', call_id: `call_${name}`, name, arguments: '{}' })
const page = (name: string) => ({ url: `https://example.org/${name}`, title: name })
const responseWith = (...output: object[]) => ({ ...perplexity.answer, output })

function whole(response: Json): Answer | null {
  const decoded = decodePerplexityAgent(response)
  return decoded.ok ? decoded.answer : null
}

const read = (events: readonly Json[]) => decodeObjects(createPerplexityDecoder(), events)
const streamed = (...events: Json[]) => assembleAnswer(read(events))
const delta = (id: string | undefined, text: string) => ({
  type: 'response.output_text.delta',
  item_id: id,
  delta: text,
})
const done = (item: object) => ({ type: 'response.output_item.done', item })
const completed = (...output: object[]) => ({ type: 'response.completed', response: responseWith(...output) })
const textOf = (answer: Answer | null) => answer?.choices[0]?.text

describe('Perplexity’s text', () => {
  const two = [message('m1', 'One. '), message('m2', 'Two.')]

  it('is that of all messages, whole and streamed', () => {
    expect(textOf(whole(responseWith(...two)))).toBe('One. Two.')
    expect(textOf(streamed(delta('m1', 'One. '), delta('m2', 'Two.'), completed(...two)))).toBe('One. Two.')
  })

  it('of a message that came in no delta is taken from the message, in its place (a whole message was lost)', () => {
    const [first = {}, second = {}] = two
    expect(textOf(streamed(done(first), delta('m2', 'Two.'), done(second), completed(...two)))).toBe('One. Two.')
    expect(textOf(streamed(delta('m1', 'One. '), done(first), completed(...two)))).toBe('One. Two.')
    expect(textOf(streamed(completed(...two)))).toBe('One. Two.')
  })

  it('is not told twice where deltas or messages do not say whose they are', () => {
    expect(textOf(streamed(delta(undefined, 'One. '), delta(undefined, 'Two.'), completed(...two)))).toBe('One. Two.')
    const nameless = [message(undefined, 'One. '), message(undefined, 'Two.')]
    expect(textOf(streamed(delta('m1', 'One. '), delta('m2', 'Two.'), completed(...nameless)))).toBe('One. Two.')
  })

  it('is not told twice where a message has another id than its deltas', () => {
    const [first = {}, second = {}] = two
    const both = [delta('d1', 'One. '), done(first), delta('d2', 'Two.'), done(second)]
    expect(textOf(streamed(...both, completed(...two)))).toBe('One. Two.')
    const others = [message('m3', 'One. '), message('m4', 'Two.')]
    expect(textOf(streamed(done(first), done(second), completed(...others)))).toBe('One. Two.')
  })

  it('does not depend on what it is: a piece can be like an id or the name of a member', () => {
    const other = message('m2', 'Two.')
    for (const text of ['m1', 'item_id', 'delta']) {
      const first = message('m1', text)
      const events = [delta('m1', text), done(first), done(other), completed(first, other)]
      expect(textOf(streamed(...events))).toBe(`${text}Two.`)
    }
    const again = [delta('m1', 'One. '), done(message('m1', 'One. ')), delta('m1', 'And.'), done(other)]
    expect(textOf(streamed(...again, completed(...two)))).toBe('One. And.Two.')
  })

  it('is whole where messages do not say who they are', () => {
    const nameless = [message(undefined, 'One. '), message(undefined, 'Two.')]
    const [, second = {}] = nameless
    expect(textOf(streamed(...nameless.map(done), completed(...nameless)))).toBe('One. Two.')
    expect(textOf(streamed(delta('m1', 'One. '), ...nameless.map(done), completed(...nameless)))).toBe('One. Two.')
    expect(textOf(streamed(completed(...nameless)))).toBe('One. Two.')
    expect(textOf(streamed(delta(undefined, 'One. Two.'), ...nameless.map(done), done(second)))).toBe('One. Two.')
  })

  it('may be missing: a list that is empty can be null', () => {
    const empty = [{ type: 'message', content: null }, { type: 'search_results', results: null }, call('look')]
    expect(whole(responseWith(...empty))?.choices).toMatchObject([{ text: '', finishReason: 'tool_calls' }])
    expect(streamed(...empty.map(done), completed(...empty)).choices).toMatchObject([{ finishReason: 'tool_calls' }])
  })
})

describe('Perplexity’s calls', () => {
  it('are not those of its own tools, which only it can answer', () => {
    const items = [call('search_web'), call('look'), call('fetch_url')]
    for (const answer of [whole(responseWith(...items)), streamed(...items.map(done), completed(...items))]) {
      expect(answer?.choices[0]?.toolCalls.map(({ name }) => name)).toEqual(['look'])
    }
    const own = [call('search_web'), message('m1', 'Found.')]
    expect(whole(responseWith(...own))?.choices[0]?.finishReason).toBe('stop')
    expect(streamed(...own.map(done), completed(...own)).choices[0]?.finishReason).toBe('stop')
  })
})

describe('Perplexity’s pages', () => {
  it('are all that were found, by which the text counts, and then those that were only opened', () => {
    const output = [
      { type: 'fetch_url_results', contents: [page('b'), page('c'), page('c')] },
      { type: 'search_results', results: [page('a'), page('b')] },
      { type: 'search_results', results: [page('a')] },
      { type: 'fetch_url_results', contents: null },
    ]
    const pages = [page('a'), page('b'), page('a'), page('c')]
    expect(whole(responseWith(...output))?.citations).toEqual(pages)
    expect(streamed(completed(...output)).citations).toEqual(pages)
  })
})

describe('Perplexity’s stream', () => {
  it('names no preset as the model that answers', () => {
    const created = (model: string) => ({ type: 'response.created', response: { id: 'resp_1', model } })
    expect(read([created('low')])[0]).toEqual({ type: 'start', id: 'resp_1', model: null })
    expect(read([created('vendor/name')])[0]).toEqual({ type: 'start', id: 'resp_1', model: 'vendor/name' })
    expect(streamed(created('low'), completed()).model).toBe('perplexity/sonar')
  })

  it('tells what was looked up as it comes, by the length of its texts, and the same at the end', () => {
    const found = { url: 'https://a.test', title: 'Ä', snippet: 'four', date: null, id: 7 }
    const search = { type: 'search_results', results: [found, { url: 'https://b.test' }] }
    const opened = { type: 'fetch_url_results', contents: [found] }
    const told = read([done(search), done(opened)]).map((event) => event.type === 'looked_up' && event.lookedUp)
    expect(told).toEqual([
      { times: 1, bytes: 14 + 2 + 4 + 14 },
      { times: 2, bytes: 34 + 20 },
    ])
    const answer = whole({ ...responseWith(), output: [search, opened] })
    expect(answer?.lookedUp).toEqual({ times: 2, bytes: 54 })
    expect(whole(responseWith())?.lookedUp).toEqual({ times: 0, bytes: 0 })
  })

  it('counts cached input by either of its names', () => {
    const details = { cached_tokens: 30 }
    const usage = { input_tokens: 100, output_tokens: 1, input_tokens_details: details }
    expect(whole({ ...responseWith(), usage })?.usage).toMatchObject({ inputUncached: 70, cacheRead: 30 })
    const both = { ...usage, input_tokens_details: { ...details, cache_read_input_tokens: 20 } }
    expect(whole({ ...responseWith(), usage: both })?.usage).toMatchObject({ inputUncached: 80, cacheRead: 20 })
  })
})
