// Streams as OpenAI's own client puts them together, against the same answer in one piece.
import fc from 'fast-check'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { toErrorAqta } from '../../../../../src/gateway/call/trace.ts'
import { describe, expect, it } from 'vitest'
import type { AnsweredCall } from '../../../../../src/gateway/call/answer-format.ts'
import { assembleAnswer } from '../../../../../src/providers/assemble-answer.ts'
import { usageFromTotals, type StreamEvent } from '../../../../../src/providers/chat-answer.ts'
import { AQTA, ENDED_AT, USAGE } from '../../stream/writing.ts'
import { accepted } from './reading.ts'

const CALL = { traceId: AQTA.trace_id, startedAt: 1_790_000_000_500, attestation: AQTA.attestation }
const BILL = {
  usage: usageFromTotals({ input: 7, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 0 }),
  estimated: false,
  costMicroeur: 123,
  finishReason: null,
  servedModel: null,
}

function start(body: object = {}) {
  const { format, outline } = accepted(body)
  const call: AnsweredCall = { ...CALL, outline }
  return { format, call, writer: format.createWriter(call, false) }
}

type Sent = { name: string; data: ResponseStreamEvent & { error?: object } }

const decoder = new TextDecoder()

function readSent(bytes: Uint8Array): Sent {
  const [, name = '', data = ''] = /^event: (.+)\ndata: (.+)\n\n$/s.exec(decoder.decode(bytes)) ?? []
  return { name, data: JSON.parse(data) as Sent['data'] }
}

function stream(events: readonly StreamEvent[], body?: object): Sent[] {
  const { writer } = start(body)
  const pushed = events.flatMap((event) => writer.push({ raw: new Uint8Array(0), data: '', events: [event] }))
  return [...pushed, ...writer.finish({ aqta: AQTA, usage: USAGE, endedAt: ENDED_AT }), ...writer.close()].map(readSent)
}

const assemble = (sent: readonly Sent[]): Response | undefined =>
  sent.reduce<Response | undefined>((snapshot, { data }) => accumulateResponse(data, snapshot), undefined)

function whole(events: readonly StreamEvent[], body?: object) {
  const { format, call } = start(body)
  const answer = assembleAnswer([{ type: 'finish', choice: 0, reason: 'stop' }, ...events])
  return format.present(call, { answer, passedBody: null }, { bill: BILL, aqta: AQTA, endedAt: ENDED_AT })
}

const text = (said: string): StreamEvent => ({ type: 'text', choice: 0, text: said })
const refusal = (said: string): StreamEvent => ({ type: 'refusal', choice: 0, text: said })
const called = (index: number, signature?: string): StreamEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  id: `call_${index}`,
  name: 'look',
  signature,
})
const fragment = (index: number, said: string): StreamEvent => ({
  type: 'tool_arguments',
  choice: 0,
  index,
  fragment: said,
})
const thought = (index: number, thinking: string, signature: string, isAfterOutput = false): StreamEvent => ({
  type: 'thinking',
  choice: 0,
  index,
  piece: { type: 'thinking', thinking, signature },
  isAfterOutput,
})
const finish = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
})
const START: StreamEvent = { type: 'start', id: null, model: 'what-answered' }
const SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const PAGE = { url: 'https://a.test', title: null }

const pieces = fc.string({ unit: 'binary', maxLength: 9 })
const said = fc.array(fc.oneof(pieces.map(text), pieces.map(refusal)), { maxLength: 6 })
const calls = fc
  .array(fc.tuple(fc.array(pieces, { maxLength: 4 }), fc.option(fc.constant('c2ln'), { nil: undefined })), {
    maxLength: 4,
  })
  .chain((made) => {
    const begun = made.map(([, signature], index) => called(index, signature))
    const fragments = made.flatMap(([args], index) => args.map((one) => fragment(index, one)))
    return fc
      .shuffledSubarray(fragments, { minLength: fragments.length })
      .map((shuffled) => begun.concat(inOrder(fragments, shuffled)))
  })

/** Puts the pieces of each call in order. Pieces of different calls may still mix. */
function inOrder(fragments: readonly StreamEvent[], shuffled: readonly StreamEvent[]): StreamEvent[] {
  const left = [...fragments]
  return shuffled.flatMap((wanted) => {
    const at = left.findIndex((one) => 'index' in one && 'index' in wanted && one.index === wanted.index)
    return left.splice(at, 1)
  })
}

/** Thinking in the order of its blocks. Blocks that stay unsigned, or come after the text, are not handed back. */
const thoughts = fc
  .tuple(fc.array(fc.tuple(fc.nat({ max: 2 }), pieces), { maxLength: 5 }), fc.boolean(), fc.boolean())
  .map(([made, isSigned, isAfterOutput]) => {
    const ordered = made.toSorted(([first], [second]) => first - second)
    const blocks = [...new Set(ordered.map(([index]) => index))]
    const signed = isSigned ? blocks.map((index) => thought(index, '', 'c2ln', isAfterOutput)) : []
    return ordered.map(([index, thinking]) => thought(index, thinking, '', isAfterOutput)).concat(signed)
  })
const ends = fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter').map(finish)
const citations = fc.constantFrom<StreamEvent[]>([], [{ type: 'citations', citations: [PAGE] }])
const requests = fc.constantFrom(
  {},
  { include: ['reasoning.encrypted_content'] },
  { reasoning: { summary: 'auto' } },
  { include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
)
const signatures = fc.constantFrom<StreamEvent[]>([], [{ type: 'signature', choice: 0, signature: 'c2ln' }])

describe('a stream', () => {
  it('is put together by OpenAI’s own client as the answer in one piece', () => {
    fc.assert(
      fc.property(
        thoughts,
        said,
        calls,
        signatures,
        ends,
        citations,
        requests,
        (thinking, words, tools, signed, end, pages, body) => {
          // A provider that answers in one piece sends the text first.
          const ordered = [
            ...words.filter(({ type }) => type === 'text'),
            ...words.filter(({ type }) => type === 'refusal'),
          ]
          const events = [START, ...thinking, ...ordered, ...tools, ...signed, end, ...pages]
          const { output_text: _, ...response } = assemble(stream(events, body)) ?? { output_text: '' }
          expect(response).toEqual(JSON.parse(JSON.stringify(whole(events, body))))
        },
      ),
    )
  })

  it('is the same event by event as in its last one', () => {
    fc.assert(
      fc.property(thoughts, said, calls, said, ends, requests, (thinking, before, tools, after, end, body) => {
        const sent = stream([START, ...thinking, ...before, ...tools, ...after, end], body)
        const last = sent.at(-1)?.data
        const built = assemble(sent.slice(0, -1))
        expect(last).toMatchObject({ response: { output: built?.output } })
        expect(sent.map(({ data }) => data.sequence_number)).toEqual(sent.map((_, at) => at))
        expect(sent.every(({ name, data }) => name === data.type)).toBe(true)
      }),
    )
  })

  it('begins with the response as it will be, and ends with it whole', () => {
    const sent = stream([START, text('Hel'), text('lo'), finish('stop')])
    expect(sent.map(({ name }) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(sent[0]?.data).toMatchObject({
      response: { status: 'in_progress', output: [], model: 'what-answered', usage: null },
    })
    expect(sent.at(-1)?.data).toMatchObject({
      response: {
        status: 'completed',
        store: false,
        created_at: 1_790_000_000,
        usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10, output_tokens_details: { reasoning_tokens: 0 } },
        aqta: AQTA,
      },
    })
  })

  it.each([
    [
      'what was left out, by its default',
      {},
      {
        instructions: null,
        max_output_tokens: null,
        max_tool_calls: null,
        metadata: {},
        parallel_tool_calls: true,
        prompt_cache_key: null,
        reasoning: { effort: null, summary: null },
        safety_identifier: null,
        temperature: 1,
        text: { format: { type: 'text' } },
        tool_choice: 'auto',
        tools: [],
        top_p: 1,
        user: null,
      },
    ],
    [
      'what was sent, whole',
      {
        instructions: 'Be brief.',
        max_output_tokens: 9,
        metadata: { page: '1' },
        prompt_cache_key: 'group',
        safety_identifier: 'somebody',
        text: { format: { type: 'json_schema', name: 'place', schema: SCHEMA, strict: true } },
        tool_choice: { type: 'function', name: 'look' },
        tools: [{ type: 'function', name: 'look', parameters: SCHEMA }],
      },
      {
        instructions: 'Be brief.',
        max_output_tokens: 9,
        metadata: { page: '1' },
        prompt_cache_key: 'group',
        safety_identifier: 'somebody',
        text: { format: { type: 'json_schema', name: 'place', description: null, schema: SCHEMA, strict: true } },
        tool_choice: { type: 'function', name: 'look' },
        tools: [{ type: 'function', name: 'look', description: null, parameters: SCHEMA, strict: false }],
      },
    ],
  ])('repeats %s, from its first event on', (_, body, repeated) => {
    const fixed = { frequency_penalty: 0, presence_penalty: 0, top_logprobs: 0, previous_response_id: null }
    const events = [START, text('Hello'), finish('stop')]
    const sent = stream(events, body)
    expect(sent[0]?.data).toMatchObject({ response: { ...fixed, ...repeated, completed_at: null } })
    expect(sent.at(-1)?.data).toMatchObject({ response: { ...repeated, completed_at: 1_790_000_001 } })
    expect(whole(events, body)).toMatchObject({ ...fixed, ...repeated, completed_at: 1_790_000_001 })
    expect(whole([START, text('Hello'), finish('length')], body)).toMatchObject({ completed_at: null })
  })

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that ends for its %s is incomplete, and so is what came last', (reason, told) => {
    const sent = stream([START, text('Hel'), called(0), fragment(0, '{"a'), finish(reason)])
    expect(sent.at(-1)).toMatchObject({
      name: 'response.incomplete',
      data: {
        response: {
          status: 'incomplete',
          incomplete_details: { reason: told },
          output: [{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }],
        },
      },
    })
  })

  it('tells what was read from a cache and what was written to one, for minutes or for an hour', () => {
    const used = { inputUncached: 1, cacheRead: 2, cacheWrite: 4, cacheWriteHour: 8, outputVisible: 0, reasoning: 0 }
    const { format, call } = start()
    const answer = assembleAnswer([START, text('Hello'), finish('stop')])
    const bill = { ...BILL, usage: { ...used, feesMicrousd: 0 } }
    expect(format.present(call, { answer, passedBody: null }, { bill, aqta: AQTA, endedAt: ENDED_AT })).toMatchObject({
      usage: { input_tokens: 15, input_tokens_details: { cached_tokens: 2, cache_write_tokens: 12 } },
    })
  })

  it('says that no prompts are compared, where that was asked for', () => {
    const compared = { prompt_cache_options: { comparison_response_id: 'resp_1' } }
    const told = { prompt_cache_diagnostics: { type: 'unavailable' } }
    const events = [START, text('Hello'), finish('stop')]
    expect(stream(events, compared).at(-1)?.data).toMatchObject({ response: told })
    expect(whole(events, compared)).toMatchObject(told)
    expect(whole(events)).not.toHaveProperty('prompt_cache_diagnostics')
  })

  it('tells text after a call in a message of its own', () => {
    const last = stream([START, text('a'), called(0), text('b'), fragment(0, '{}'), finish('tool_calls')]).at(-1)?.data
    expect(last).toMatchObject({
      response: { output: [{ type: 'message' }, { type: 'function_call' }, { type: 'message' }] },
    })
  })

  it('of nothing is a message of nothing', () => {
    const last = stream([START, finish('stop')]).at(-1)?.data
    expect(last).toMatchObject({ response: { output: [{ content: [{ type: 'output_text', text: '' }] }] } })
  })

  it('puts the pages a model used at the end of its text', () => {
    const sent = stream([START, text('Rain.'), finish('stop'), { type: 'citations', citations: [PAGE] }])
    const annotation = { type: 'url_citation', url: PAGE.url, title: PAGE.url, start_index: 5, end_index: 5 }
    expect(sent.map(({ data }) => data)).toContainEqual(expect.objectContaining({ annotation }))
    expect(sent.at(-1)?.data).toMatchObject({ response: { output: [{ content: [{ annotations: [annotation] }] }] } })
  })

  it('that fails ends in an event for which the clients throw, and in no response', () => {
    const { writer } = start()
    const pushed = writer.push({ raw: new Uint8Array(0), data: '', events: [START, text('Hel')] })
    const aqta = toErrorAqta(AQTA)
    const error = { error: { code: 'provider_error', message: 'It failed.', aqta }, aqta }
    const sent = [...pushed, ...writer.fail(error)].map(readSent)
    expect(sent.at(-1)).toEqual({
      name: 'error',
      data: { type: 'error', sequence_number: 5, code: 'provider_error', message: 'It failed.', param: null, ...error },
    })
  })

  it('says how much it keeps, whatever of it is finished, what it repeats included', () => {
    const { format, writer } = start({ instructions: 'Be brief.' })
    const repeated = format.repeatedBytes()
    expect(repeated - start().format.repeatedBytes()).toBe(2 * ('"Be brief."'.length - 'null'.length))
    const push = (event: StreamEvent) => writer.push({ raw: new Uint8Array(0), data: '', events: [event] })
    expect(writer.bufferedBytes()).toBe(repeated)
    push(text('x'.repeat(1_000)))
    expect(writer.bufferedBytes()).toBe(repeated + 2_000)
    push(called(0))
    push(fragment(0, 'y'.repeat(500)))
    push(text('z'))
    expect(writer.bufferedBytes()).toBe(repeated + 3_002)
  })
})
