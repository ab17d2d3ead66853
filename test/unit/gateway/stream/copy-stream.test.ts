// A stream carried to its end, from batches and into a response stream that are made up.
import { describe, expect, it } from 'vitest'
import type { EventWriter } from '../../../../src/gateway/stream/event-writer.ts'
import type { ResponseStream } from '../../../../src/gateway/stream/response-stream.ts'
import { copyStream } from '../../../../src/gateway/call/streamed-answer.ts'
import { createOutputCounter } from '../../../../src/gateway/call/bill.ts'
import type { StreamEvent } from '../../../../src/providers/chat-answer.ts'
import type { StreamItem } from '../../../../src/providers/sse.ts'
import { upstreamFailure } from '../../../../src/providers/failure.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const END: StreamEvent = { type: 'end' }
const item = (name: string, ...events: StreamEvent[]): StreamItem => ({ raw: encoder.encode(name), data: name, events })
const text = (name: string): StreamItem => item(name, { type: 'text', choice: 0, text: name })

type Says = readonly (boolean | Promise<boolean>)[]

/** Copies the batches. The stream and the place give these answers after each, and otherwise say that there is room. */
async function run(batches: readonly (readonly StreamItem[])[], rooms: Says = [], places: Says = []) {
  const sent: string[] = []
  let asked = 0
  let isLeft = false
  let wasCompleted = 0
  async function* all(): AsyncGenerator<readonly StreamItem[], void> {
    try {
      yield* batches
    } finally {
      isLeft = true
    }
  }
  const stream: Pick<ResponseStream, 'send' | 'hasRoom'> = {
    send: (events) => sent.push(...events.map((event) => decoder.decode(event))),
    hasRoom: () => rooms[asked++] ?? true,
  }
  let isUsageThere = false
  const writer: Pick<EventWriter, 'push' | 'isComplete' | 'bufferedBytes'> = {
    push: ({ raw, data }) => {
      isUsageThere ||= data === 'usage'
      return [raw]
    },
    isComplete: () => isUsageThere,
    bufferedBytes: () => sent.length,
  }
  const kept: number[] = []
  const keep = (bytes: number) => {
    kept.push(bytes)
    return places[kept.length - 1] ?? true
  }
  const soFar = createOutputCounter()
  const whenComplete = () => {
    wasCompleted += 1
    return [encoder.encode('finish')]
  }
  const noteCost = (): undefined => undefined
  const failure = await copyStream(all(), { writer, stream, soFar, keep, noteCost, whenComplete })
  return { failure, sent, kept, wasCompleted, isLeft, produced: soFar.produced() }
}

describe('relaying a stream', () => {
  it('passes on every event in order, up to its end and not beyond', async () => {
    const { failure, sent, isLeft } = await run([
      [text('a')],
      [text('b'), text('c'), item('d', END), text('e')],
      [text('f')],
    ])
    expect(failure).toBeNull()
    expect(sent).toEqual(['a', 'b', 'c', 'd'])
    expect(isLeft).toBe(true)
  })

  it('tells its failure, and counts what came before it', async () => {
    const cut = upstreamFailure('cut')
    const { failure, produced } = await run([[text('abc'), item('', { type: 'failed', failure: cut }), text('d')]])
    expect(failure).toEqual(cut)
    expect(produced.outputBytes).toBe(3)
  })

  it('is cut where the batches end without an end', async () => {
    expect((await run([[text('a')]])).failure).toMatchObject({ cause: 'cut' })
    expect((await run([])).failure).toMatchObject({ cause: 'cut' })
  })

  it('sends what completes an answer as soon as it is complete, once', async () => {
    const batches = [[text('a'), text('usage'), text('b')], [text('usage')], [item('', END)]]
    const { sent, wasCompleted } = await run(batches)
    expect(sent).toEqual(['a', 'usage', 'finish', 'b', 'usage', ''])
    expect(wasCompleted).toBe(1)
  })

  it('never asks for what completes an answer that is not', async () => {
    expect((await run([[text('a')], [item('', END)]])).wasCompleted).toBe(0)
  })

  it.each([
    ['at once', false],
    ['after a while', Promise.resolve(false)],
  ])('leaves the provider where the caller is told to be gone %s', async (_, room) => {
    const { failure, sent, isLeft } = await run([[text('a')], [text('b')]], [true, room])
    expect(failure).toMatchObject({ cause: 'caller' })
    expect(sent).toEqual(['a', 'b'])
    expect(isLeft).toBe(true)
  })

  it.each([
    ['at once', false],
    ['after a while', Promise.resolve(false)],
  ])('leaves the provider where there is no memory for what is to be kept, told %s', async (_, place) => {
    const { failure, kept, isLeft } = await run([[text('a'), text('b')], [text('c')], [text('d')]], [], [true, place])
    expect(failure).toMatchObject({ cause: 'no_room' })
    expect(kept).toEqual([2, 3])
    expect(isLeft).toBe(true)
  })
})
