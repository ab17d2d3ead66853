// Applies stop sequences to an answer, for a provider that has none. The first sequence that is complete ends the text before it,
// as it would have ended the model. The usage stays what the provider reports.
import type { StreamDecoder } from './provider.ts'
import type { Answer, StreamEvent } from './chat-answer.ts'

export function createTextStop(stops: readonly string[]) {
  let held = ''
  let isStopped = false
  return {
    /** Returns the text that may be sent now. */
    push(piece: string): string {
      if (isStopped) return ''
      const text = held + piece
      const stop = findStop(text, stops)
      isStopped = stop !== null
      const end = stop ?? text.length - beginningLength(text, stops)
      held = isStopped ? '' : text.slice(end)
      return text.slice(0, end)
    },
    /** Returns the rest, when no more text follows. */
    end(): string {
      const rest = held
      held = ''
      return rest
    },
    isStopped: () => isStopped,
  }
}

/** Returns the start of the sequence that is complete first, of two that end together the longer; null if there is none. */
function findStop(text: string, stops: readonly string[]): number | null {
  const found = stops.flatMap((stop) => {
    const start = text.indexOf(stop)
    return start === -1 ? [] : [{ start, end: start + stop.length }]
  })
  return found.toSorted((one, other) => one.end - other.end || one.start - other.start)[0]?.start ?? null
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
    const end = findStop(choice.text, stops)
    return end === null ? choice : { ...choice, text: choice.text.slice(0, end), finishReason: 'stop' as const }
  })
  return { ...answer, choices }
}

/** No text follows these events. */
const ENDS_TEXT: ReadonlySet<StreamEvent['type']> = new Set(['citations', 'finish', 'failed'])

const toEvents = (text: string): StreamEvent[] => (text === '' ? [] : [{ type: 'text', choice: 0, text }])

/** The stream has one choice, and no calls. */
export function stopStream(decoder: StreamDecoder, stops: readonly string[]): StreamDecoder {
  const stop = createTextStop(stops)

  function read(event: StreamEvent): StreamEvent[] {
    if (event.type === 'text') return toEvents(stop.push(event.text))
    if (event.type === 'finish' && stop.isStopped()) return [{ ...event, reason: 'stop' }]
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
