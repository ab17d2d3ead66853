// Applies stop sequences to an answer, for a provider that has none. The first sequence that is complete ends the text before it,
// as it would have ended the model. The usage stays what the provider reports.
import type { StreamDecoder } from './provider.ts'
import type { Answer, StreamEvent } from './chat-answer.ts'

export function createTextStop(stops: readonly string[]) {
  let held = ''
  let stoppedBy: string | null = null
  return {
    /** Returns the text that may be sent now. */
    push(piece: string): string {
      if (stoppedBy !== null) return ''
      const text = held + piece
      const stop = findStop(text, stops)
      stoppedBy = stop?.sequence ?? null
      const end = stop?.start ?? text.length - beginningLength(text, stops)
      held = stop === null ? text.slice(end) : ''
      return text.slice(0, end)
    },
    /** Returns the rest, when no more text follows. */
    end(): string {
      const rest = held
      held = ''
      return rest
    },
    /** Returns the sequence that has ended the text; null if none has. */
    stoppedBy: () => stoppedBy,
  }
}

type Stop = { readonly sequence: string; readonly start: number; readonly end: number }

/** Returns the sequence that is complete first, of two that end together the longer; null if there is none. */
function findStop(text: string, stops: readonly string[]): Stop | null {
  const found = stops.flatMap((sequence): Stop[] => {
    const start = text.indexOf(sequence)
    return start === -1 ? [] : [{ sequence, start, end: start + sequence.length }]
  })
  return found.toSorted((one, other) => one.end - other.end || one.start - other.start)[0] ?? null
}

/** Returns how many characters at the end could begin a sequence. */
function beginningLength(text: string, stops: readonly string[]): number {
  const longest = Math.max(...stops.map(({ length }) => length))
  for (let length = Math.min(text.length, longest - 1); length > 0; length -= 1) {
    const end = text.slice(-length)
    if (stops.some((stop) => stop.length > length && stop.startsWith(end))) return length
  }
  return 0
}

export function stopAnswer(answer: Answer, stops: readonly string[]): Answer {
  const choices = answer.choices.map((choice) => {
    const stop = findStop(choice.text, stops)
    if (stop === null) return choice
    const { sequence, start } = stop
    const text = choice.text.slice(0, start)
    return { ...choice, text, toolCalls: [], finishReason: 'stop' as const, stopSequence: sequence }
  })
  return { ...answer, choices }
}

/** The text before these events is whole. */
const ENDS_TEXT: ReadonlySet<StreamEvent['type']> = new Set(['tool_call', 'citations', 'finish', 'failed'])
/** A model that had been stopped would not have written these. */
const NOT_AFTER_STOP: ReadonlySet<StreamEvent['type']> = new Set(['tool_call', 'tool_arguments'])

const toEvents = (text: string): StreamEvent[] => (text === '' ? [] : [{ type: 'text', choice: 0, text }])

/** The stream has one choice. */
export function stopStream(decoder: StreamDecoder, stops: readonly string[]): StreamDecoder {
  const stop = createTextStop(stops)

  function read(event: StreamEvent): StreamEvent[] {
    if (event.type === 'text') return toEvents(stop.push(event.text))
    const stopSequence = stop.stoppedBy()
    if (event.type === 'finish' && stopSequence !== null) return [{ ...event, reason: 'stop', stopSequence }]
    if (stopSequence !== null && NOT_AFTER_STOP.has(event.type)) return []
    return ENDS_TEXT.has(event.type) ? [...toEvents(stop.end()), event] : [event]
  }

  return {
    push(raw, closed) {
      const { data, events } = decoder.push(raw, closed)
      return { raw, data, events: events.flatMap(read) }
    },
    close: () => decoder.close().flatMap(read),
  }
}
