// The stream of a provider with events of its own, as the standard's chunks: one id, one time, the role on the first
// delta of a choice, one finish reason a choice.
import type { Citation, StreamEvent } from '../../providers/answer.ts'
import { presentCitations, presentSignature } from './completion.ts'
import { dataEvent, type EventWriter } from '../stream/event-writer.ts'
import { closingMark } from './closing-mark.ts'
import { createHold } from '../stream/hold.ts'

type Chunk = Record<string, unknown>
type Delta = Record<string, unknown>

export function createTranslatedWriter(stream: {
  id: string
  /** Unix seconds. */
  created: number
  /** Named until the provider names what answered. */
  model: string
  includeUsage: boolean
}): EventWriter {
  const introduced = new Set<number>()
  let { model } = stream
  let citations: readonly Citation[] = []
  const hold = createHold<Chunk>()

  function chunk(choices: object[]): Chunk {
    const { id, created, includeUsage } = stream
    const usage = includeUsage ? { usage: null } : {}
    return { id, object: 'chat.completion.chunk', created, model, choices, ...usage }
  }

  function choice(index: number, delta: Delta, finishReason: string | null = null): Chunk {
    const role = introduced.has(index) ? {} : { role: 'assistant' }
    introduced.add(index)
    return chunk([{ index, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }])
  }

  function write(event: StreamEvent): Chunk | null {
    switch (event.type) {
      case 'start':
        model = event.model ?? model
        return choice(0, {})
      case 'text':
        return choice(event.choice, { content: event.text })
      case 'refusal':
        return choice(event.choice, { refusal: event.text })
      case 'tool_call': {
        const { index, id, name, signature } = event
        const call = { index, id, type: 'function', function: { name, arguments: '' }, ...presentSignature(signature) }
        return choice(event.choice, { tool_calls: [call] })
      }
      case 'tool_arguments':
        return choice(event.choice, {
          tool_calls: [{ index: event.index, function: { arguments: event.fragment } }],
        })
      case 'finish':
        return choice(event.choice, {}, event.reason)
      case 'citations':
        ;({ citations } = event)
        return null
      case 'usage':
      case 'end':
      case 'failed':
        return null
    }
  }

  return {
    push({ events }) {
      return events.flatMap((event) => {
        const next = write(event)
        return next === null ? [] : hold.pass(next, event.type === 'finish').map(dataEvent)
      })
    },
    isComplete: () => false, // their usage may be put right until they end
    finish({ aqta, usage }) {
      const [last] = hold.release()
      const finish = { ...last, ...presentCitations(citations) }
      const chunks = stream.includeUsage ? [finish, { ...chunk([]), usage, aqta }] : [{ ...finish, aqta }]
      return chunks.map(dataEvent)
    },
    close: closingMark,
    fail: (error) => [...hold.release(), error].map(dataEvent),
  }
}
