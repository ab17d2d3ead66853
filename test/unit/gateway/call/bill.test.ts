// Tests the cost of a call, for every way in which it ends.
import { describe, expect, it } from 'vitest'
import { billCall, createOutputCounter, NOTHING_PRODUCED, producedByAnswer } from '../../../../src/gateway/call/bill.ts'
import type { StreamEvent, Usage, UsagePart } from '../../../../src/providers/chat-answer.ts'
import { parseEurRate } from '../../../../src/providers/call-cost.ts'
import { estimateUsage } from '../../../../src/providers/estimate-tokens.ts'
import { unsupported, upstreamFailure } from '../../../../src/providers/failure.ts'
import { modelNamed, pricesOf } from '../../../fixtures/providers/models.ts'

const callOf = (id: string, inputTokens: number) => ({
  outline: { inputTokens },
  routes: { last: { model: modelNamed(id), prices: pricesOf(id) } },
  mostOutputTokens: 1000,
})
const asked = callOf('gpt-4.1-mini', 8)
const rate = parseEurRate('1')
if (rate === null) throw new Error('not a rate')

const usage = (outputVisible: number): Usage => ({
  inputUncached: 1_000_000,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible,
  reasoning: 0,
  feesMicrousd: 0,
})
const produced = (more: object) => ({ ...NOTHING_PRODUCED, ...more })

describe('the bill of a whole answer', () => {
  it('is what the provider says', () => {
    expect(billCall(asked, produced({ usage: usage(0) }), null, rate)).toEqual({
      usage: usage(0),
      estimated: false,
      costMicroeur: 400_000,
      finishReason: null,
      servedModel: null,
    })
  })

  it('of zero tokens is zero, and not estimated', () => {
    const zero = { ...usage(0), inputUncached: 0 }
    expect(billCall(asked, produced({ usage: zero }), null, rate)).toMatchObject({ estimated: false, costMicroeur: 0 })
  })

  it('is an estimate where the provider says nothing', () => {
    const bill = billCall(asked, produced({ outputBytes: 300 }), null, rate)
    expect(bill).toMatchObject({ usage: estimateUsage(8, 300, 1000), estimated: true })
    expect(bill.costMicroeur).toBeGreaterThan(0)
  })
})

describe('the bill of a whole answer whose usage could be read in part', () => {
  const partly = (unread: readonly UsagePart[], more: object = {}) =>
    billCall(asked, produced({ usage: { ...usage(5), unread, ...more }, outputBytes: 300 }), null, rate)

  it('holds its tokens as they were told, and is an estimate', () => {
    expect(partly(['details'])).toEqual({
      usage: usage(5),
      estimated: true,
      costMicroeur: 400_008,
      finishReason: null,
      servedModel: null,
    })
  })

  it('holds a guess at the output where that is what could not be read', () => {
    expect(partly(['output'])).toMatchObject({ usage: usage(100), estimated: true })
    expect(partly(['output']).usage).not.toHaveProperty('unread')
    expect(partly(['output'], { outputVisible: 200 }).usage).toMatchObject({ outputVisible: 200 })
  })

  it('has an estimate of the input where that is missing, less what was read from a cache, and the output as reported', () => {
    const cached = { inputUncached: 0, cacheRead: 3, cacheWrite: 2 }
    expect(partly(['input'], cached)).toMatchObject({
      usage: { ...usage(5), ...cached, inputUncached: 3 },
      estimated: true,
    })
    expect(partly(['input'], { ...cached, cacheRead: 30 }).usage).toMatchObject({ inputUncached: 0, cacheRead: 30 })
    expect(partly(['input', 'output'], cached).usage).toMatchObject({ inputUncached: 3, outputVisible: 100 })
    const impossible = { inputUncached: 0, cacheRead: 1_000_000_000 }
    expect(partly(['input'], impossible).usage).toMatchObject({ inputUncached: 8, cacheRead: 0 })
  })

  it('holds the fees of a search where a model that searches has told them so that they cannot be read', () => {
    const searching = callOf('sonar', 8)
    const told = produced({ usage: { ...usage(5), unread: ['details'] }, outputBytes: 300 })
    expect(billCall(searching, told, null, rate)).toMatchObject({
      estimated: true,
      usage: { ...usage(5), feesMicrousd: 20_000 },
    })
  })
})

describe('the bill of an answer that is not whole', () => {
  it.each(['cut', 'silence', 'caller', 'error_event', 'malformed', 'no_headers'] as const)(
    'after %s is an estimate of what was produced',
    (cause) => {
      const bill = billCall(asked, produced({ outputBytes: 300 }), upstreamFailure(cause), rate)
      expect(bill).toMatchObject({ estimated: true, usage: { outputVisible: 100 } })
    },
  )

  it('believes counts sent half-way for the input, and for the output where they are higher', () => {
    const half = (outputVisible: number, outputBytes: number) =>
      billCall(asked, produced({ usage: usage(outputVisible), outputBytes }), upstreamFailure('cut'), rate).usage
    expect(half(1, 300)).toMatchObject({ inputUncached: 1_000_000, outputVisible: 100 })
    expect(half(500, 300)).toMatchObject({ outputVisible: 500 })
  })

  it('holds what a model has looked up as it was told, and no more than was reserved', () => {
    const searching = callOf('sonar-pro', 11)
    const left = (times: number, bytes: number, outputBytes = 300) =>
      billCall(searching, produced({ outputBytes, lookedUp: { times, bytes } }), upstreamFailure('caller'), rate).usage
    expect(left(0, 0)).toMatchObject({ inputUncached: 11, feesMicrousd: 0, outputVisible: 100 })
    expect(left(1, 3_000)).toMatchObject({ inputUncached: 11 + 1_000, feesMicrousd: 16_667 })
    expect(left(2, 3_000, 0)).toMatchObject({ inputUncached: 11 + 1_000, feesMicrousd: 33_334, outputVisible: 0 })
    expect(left(9, 9_000_000)).toMatchObject({ inputUncached: 11 + 60_000, feesMicrousd: 50_000 })
  })

  it('holds a search, and no more than was reserved, where a model that searches had begun to write and none was told', () => {
    const searching = callOf('sonar-pro', 8)
    const left = (outputBytes: number) =>
      billCall(searching, produced({ outputBytes }), upstreamFailure('caller'), rate).usage
    expect(left(300)).toMatchObject({ inputUncached: 8 + 20_000, feesMicrousd: 16_667, outputVisible: 100 })
    expect(left(0)).toMatchObject({ inputUncached: 8, feesMicrousd: 0 })
  })

  it('guesses no more output than was allowed, counted thoughts included', () => {
    const guessed = (more: object) =>
      billCall(asked, produced({ outputBytes: 9_000, ...more }), upstreamFailure('cut'), rate)
    expect(guessed({}).usage).toMatchObject({ outputVisible: 1000 })
    expect(guessed({ usage: { ...usage(1), reasoning: 400 } }).usage).toMatchObject({
      outputVisible: 600,
      reasoning: 400,
    })
  })

  it.each([
    ['was refused', upstreamFailure('status', { billed: 'no' })],
    ['met an internal error', upstreamFailure('status', { billed: 'maybe', upstreamStatus: 500 })],
    ['reached nobody', upstreamFailure('unreachable', { billed: 'no' })],
    ['was never sent', unsupported('n', 'not taken')],
  ])('is nothing where the call %s', (_, failure) => {
    const nothing = { usage: null, estimated: false, costMicroeur: 0, finishReason: null, servedModel: null }
    expect(billCall(asked, NOTHING_PRODUCED, failure, rate)).toEqual(nothing)
  })
})

describe('what was produced', () => {
  it('is counted alike in one piece and streamed, tool arguments and thoughts that cannot be handed back included', () => {
    const soFar = createOutputCounter()
    const thought = { type: 'thinking', thinking: 'hm', signature: '' } as const
    const events: StreamEvent[] = [
      { type: 'start', id: null, model: null },
      { type: 'model', model: 'a-model-2000-01-01' },
      { type: 'thinking', choice: 0, index: 0, piece: thought },
      { type: 'text', choice: 0, text: 'Grüße' },
      { type: 'tool_call', choice: 0, index: 0, id: 'c', name: 'look' },
      { type: 'tool_arguments', choice: 0, index: 0, fragment: '{"a":' },
      { type: 'tool_arguments', choice: 0, index: 0, fragment: '1}' },
      { type: 'finish', choice: 0, reason: 'tool_calls' },
    ]
    soFar.add({ events })
    const toolCalls = [{ id: 'c', name: 'look', arguments: '{"a":1}' }]
    const thoughts = [thought]
    const choice = { index: 0, text: 'Grüße', refusal: null, toolCalls, thoughts, finishReason: 'tool_calls' as const }
    const answer = { id: null, model: 'a-model-2000-01-01', choices: [choice], usage: null, citations: [] }
    expect(soFar.produced()).toEqual(producedByAnswer(answer))
    expect(soFar.produced()).toEqual({
      usage: null,
      outputBytes: 2 + 7 + 4 + 7,
      finishReason: 'tool_calls',
      lookedUp: null,
      servedModel: 'a-model-2000-01-01',
    })
    soFar.add({ events: [], textBytes: 5 })
    expect(soFar.produced().outputBytes).toBe(25)
  })
})
