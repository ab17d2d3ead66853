// What a stream said, kept until its end: pieces of one text are joined as they come, since each by itself would take many times
// what it says.
import type { StreamEvent } from '../../providers/answer.ts'
import type { ThinkingBlock } from '../../providers/request.ts'
import { createKeptText, type KeptText } from '../stream/kept-text.ts'

export type KeptStream = {
  add(event: StreamEvent): void
  /** What is held, at two bytes a character and something for each text. */
  bytes(): number
  /** The same events with fewer pieces: what they come to is the same. */
  events(): StreamEvent[]
}

type Joined = { text: KeptText; whole: (text: string) => StreamEvent }

/** What an event takes beside its text. */
const EVENT_BYTES = 300

export function createKeptStream(): KeptStream {
  /** By what the text belongs to; in the order in which each began. */
  const kept = new Map<string, Joined | StreamEvent>()
  let textBytes = 0
  let otherBytes = 0

  function join(key: string, piece: string, whole: Joined['whole']): void {
    const before = kept.get(key)
    const joined = before !== undefined && 'whole' in before ? before : { text: createKeptText(), whole }
    kept.set(key, joined)
    textBytes -= joined.text.bytes()
    joined.text.add(piece)
    textBytes += joined.text.bytes()
  }

  function addThought(event: Extract<StreamEvent, { type: 'thinking' }>): void {
    const { choice, index, piece } = event
    const at = `${choice} ${index}`
    const member = piece.type === 'thinking' ? 'thinking' : 'data'
    join(`${member} ${at}`, piece.type === 'thinking' ? piece.thinking : piece.data, (text) => ({
      ...event,
      piece: withText(piece.type, text, ''),
    }))
    if (piece.type !== 'thinking' || piece.signature === '') return
    join(`signature ${at}`, piece.signature, (text) => ({ ...event, piece: withText('thinking', '', text) }))
  }

  /** Of those that are told again the last holds. */
  function put(event: StreamEvent): void {
    const key = `${event.type} ${'choice' in event ? event.choice : ''} ${'index' in event ? event.index : ''}`
    const before = kept.get(key)
    if (before !== undefined && !('whole' in before)) otherBytes -= sizeOf(before)
    otherBytes += sizeOf(event)
    kept.set(key, event)
  }

  return {
    add(event) {
      switch (event.type) {
        case 'text':
        case 'refusal':
          return join(`${event.type} ${event.choice}`, event.text, (text) => ({ ...event, text }))
        case 'tool_arguments':
          return join(`arguments ${event.choice} ${event.index}`, event.fragment, (fragment) => ({
            ...event,
            fragment,
          }))
        case 'thinking':
          return addThought(event)
        case 'start':
        case 'model':
        case 'usage':
        case 'looked_up':
        case 'citations':
        case 'signature':
        case 'tool_call':
        case 'finish':
          return put(event)
        case 'end':
        case 'failed':
      }
    },
    bytes: () => textBytes + otherBytes + kept.size * EVENT_BYTES,
    events: () => [...kept.values()].map((one) => ('whole' in one ? one.whole(one.text.text()) : one)),
  }
}

const sizeOf = (event: StreamEvent): number => 2 * JSON.stringify(event).length

const withText = (type: ThinkingBlock['type'], text: string, signature: string): ThinkingBlock =>
  type === 'thinking' ? { type, thinking: text, signature } : { type, data: text }
