// A stream that is kept in fewer pieces comes to the same answer, and takes little more than what it says.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStreamBuffer } from '../../../../src/gateway/content/call-content.ts'
import { assembleAnswer, type StreamEvent } from '../../../../src/providers/answer.ts'

const choice = fc.nat(1)
const index = fc.nat(2)
const text = fc.string({ unit: 'grapheme', maxLength: 4 })
const usage = fc.nat().map((outputVisible) => ({
  inputUncached: 1,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  outputVisible,
  reasoning: 0,
  feesMicrousd: 0,
}))

/** Generates thinking in which one index always has one kind, as providers send it. */
const thinking = fc
  .record({ choice, index, text, signature: fc.constantFrom('', 's') })
  .map(({ signature, ...piece }): StreamEvent => ({
    type: 'thinking',
    choice: piece.choice,
    index: piece.index,
    piece:
      piece.index === 2
        ? { type: 'redacted_thinking', data: piece.text }
        : { type: 'thinking', thinking: piece.text, signature },
  }))

const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), choice, text }),
  fc.record({ type: fc.constant('refusal' as const), choice, text }),
  fc.record({ type: fc.constant('tool_arguments' as const), choice, index, fragment: text }),
  fc.record({ type: fc.constant('model' as const), model: text }),
  fc.record({ type: fc.constant('usage' as const), usage }),
  fc.record({
    type: fc.constant('citations' as const),
    citations: fc.constant([{ url: 'https://x.example', title: null }]),
  }),
  fc.record({ type: fc.constant('signature' as const), choice, signature: text }),
  fc.record({
    type: fc.constant('finish' as const),
    choice,
    reason: fc.constantFrom('stop' as const, 'length' as const),
  }),
  thinking,
)

/** Events that begin a stream and its calls. The arguments of the calls come afterwards. */
const BEGINNING: StreamEvent[] = [
  { type: 'start', id: 'an id', model: 'a model' },
  ...[0, 1].flatMap((of) =>
    [0, 1, 2].map((at): StreamEvent => ({ type: 'tool_call', choice: of, index: at, id: `call_${at}`, name: 'look' })),
  ),
]

const keep = (events: readonly StreamEvent[]) => {
  const kept = createStreamBuffer()
  for (const one of events) kept.add(one)
  return kept
}

describe('a kept stream', () => {
  it('comes to what the stream came to', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const all: StreamEvent[] = [...BEGINNING, ...events, { type: 'end' }]
        expect(assembleAnswer(keep(all).events())).toEqual(assembleAnswer(all))
      }),
    )
  })

  it('holds a long text of small pieces as one, and says what that takes', () => {
    const pieces = Array.from({ length: 10_000 }, (): StreamEvent => ({ type: 'text', choice: 0, text: 'abcd' }))
    const kept = keep(pieces)
    expect(kept.events()).toEqual([{ type: 'text', choice: 0, text: 'abcd'.repeat(10_000) }])
    expect(kept.bytes()).toBeGreaterThanOrEqual(80_000)
    expect(kept.bytes()).toBeLessThan(81_000)
  })

  it('does not grow by what is told again and again', () => {
    const told = Array.from({ length: 100 }, (): StreamEvent => ({ type: 'model', model: 'a model' }))
    expect(keep(told).bytes()).toBe(keep(told.slice(0, 1)).bytes())
  })
})
