// A stream with values put back says what the whole answer with values put back says, in the same order, wherever it is cut.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EventWriter } from '../../../../src/gateway/stream/event-writer.ts'
import { createRestoringWriter } from '../../../../src/gateway/scan/restoring-answer-format.ts'
import { createRestorer, type TextForm } from '../../../../src/scanning/redaction/placeholders.ts'
import type { StreamEvent } from '../../../../src/providers/chat-answer.ts'
import { upstreamFailure } from '../../../../src/providers/failure.ts'

const VALUES = new Map([
  ['[EIRCODE_1]', 'D02 X285'],
  ['[EIRCODE_12]', 'T12 X00E'],
  ['[EMAIL_ADDRESS_2]', '"joe"\n@example.ie'],
])

/** Returns what the next writer receives if JSON was asked for. */
function restore(events: readonly StreamEvent[]): StreamEvent[] {
  const given: StreamEvent[] = []
  const writer: EventWriter = {
    push: (item) => {
      given.push(...item.events)
      return []
    },
    isComplete: () => false,
    bufferedBytes: () => 0,
    finish: () => [],
    close: () => [],
    fail: () => [],
    outline: () => null,
  }
  const restoring = createRestoringWriter(writer, createRestorer(VALUES), 'json')
  for (const event of events) restoring.push({ raw: new Uint8Array(0), data: '', events: [event] })
  return given
}

/** One part of an answer. */
type Part = { form: TextForm; text: string; begin: StreamEvent[]; toEvent: (piece: string) => StreamEvent }

function toPart(kind: 'text' | 'refusal' | 'thought' | 'call', text: string, at: number): Part {
  const choice = at % 2
  switch (kind) {
    case 'text':
    case 'refusal':
      return {
        form: kind === 'text' ? 'json' : 'plain',
        text,
        begin: [],
        toEvent: (piece) => ({ type: kind, choice, text: piece }),
      }
    case 'thought': {
      const thinking = (piece: string) => ({ type: 'thinking', thinking: piece, signature: '' }) as const
      const toEvent = (piece: string) => ({ type: 'thinking', choice, index: at, piece: thinking(piece) }) as const
      return { form: 'plain', text, begin: [], toEvent }
    }
    case 'call': {
      const begin: StreamEvent[] = [{ type: 'tool_call', choice, index: at, id: 'c', name: 'f' }]
      const toEvent = (fragment: string) => ({ type: 'tool_arguments', choice, index: at, fragment }) as const
      return { form: 'json', text, begin, toEvent }
    }
  }
}

/** Returns the texts of each choice in the order in which they came, and then the arguments of each call. */
function shown(events: readonly StreamEvent[]): string[][] {
  const choices = [0, 1].map(() => ({ said: [''], last: '', calls: new Map<number, string>() }))
  for (const event of events) {
    const choice = 'choice' in event ? choices[event.choice] : undefined
    if (choice === undefined || event.type === 'finish') continue
    if (event.type === 'tool_arguments') {
      choice.calls.set(event.index, (choice.calls.get(event.index) ?? '') + event.fragment)
      continue
    }
    const name = 'index' in event ? `${event.type} ${event.index}` : event.type
    if (choice.last !== name) choice.said.push('')
    choice.last = name
    choice.said.push((choice.said.pop() ?? '') + textOf(event))
  }
  return choices.map(({ said, calls }) =>
    [...said, ...[...calls].toSorted(([a], [b]) => a - b).map(([, written]) => written)].filter((text) => text !== ''),
  )
}

function textOf(event: StreamEvent): string {
  if (event.type === 'text' || event.type === 'refusal') return event.text
  if (event.type !== 'thinking' || event.piece.type !== 'thinking') return ''
  return event.shown ?? event.piece.thinking
}

const bit = fc.constantFrom(
  '[EIRCODE_1]',
  '[EIRCODE_12]',
  '[EMAIL_ADDRESS_2]',
  '[EIRCODE_3]',
  '[EIRCODE_',
  '[EMAIL',
  '[',
  ']',
  '2]',
  'é😀',
  ' a ',
)
const part = fc.tuple(
  fc.constantFrom('text', 'refusal', 'thought', 'call'),
  fc.array(bit, { minLength: 1, maxLength: 5 }).map((bits) => bits.join('')),
)

const pieces = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

it('says what the whole answer says, in its order, and nothing behind a finish', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 6 }), (given, size) => {
      // Two parts of one kind in a row would be one text of a choice: the second gets another kind.
      const parts = given.map(([kind, text], at) =>
        toPart(at > 1 && given[at - 2]?.[0] === kind ? 'thought' : kind, text, at),
      )
      const events = parts.flatMap(({ begin, text, toEvent }) => begin.concat(pieces(text, size).map(toEvent)))
      const finishes = [0, 1].map((choice) => ({ type: 'finish', choice, reason: 'stop' }) as const)
      const restored = restore([...events, ...finishes, { type: 'end' }])
      const whole = createRestorer(VALUES)
      const wanted = parts.flatMap(({ begin, form, text, toEvent }) => begin.concat(toEvent(whole.restore(text, form))))
      expect(shown(restored)).toEqual(shown(wanted))
      expect(restored.slice(-3).map(({ type }) => type)).toContain('finish')
      const afterFinish = restored.slice(restored.findIndex(({ type }) => type === 'finish'))
      expect(afterFinish.filter((event) => 'choice' in event && event.choice === 0).map(({ type }) => type)).toEqual([
        'finish',
      ])
    }),
    { numRuns: 2_000, seed: 9 },
  )
})

it('says what it has held back of an answer that breaks off', () => {
  const failed = { type: 'failed', failure: upstreamFailure('cut') } as const
  expect(restore([{ type: 'text', choice: 0, text: 'See [EIRC' }, failed])).toEqual([
    { type: 'text', choice: 0, text: 'See ' },
    { type: 'text', choice: 0, text: '[EIRC' },
    failed,
  ])
})
