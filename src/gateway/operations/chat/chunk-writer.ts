// Writes the events of a provider's stream as chat completion chunks in OpenAI's format. All chunks of an answer have one id and
// one time. A choice has its role on the first delta, and one finish reason. Thinking is sent in one delta before the finish: from
// several, OpenAI's Node SDK would keep only the last one, and its Python SDK would join them.
import type { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import type { Citation, StreamEvent } from '../../../providers/chat-answer.ts'
import { createThinkingBlocks } from '../../../providers/thinking-blocks.ts'
import { closingMark, presentCitations, presentReasoning, presentSignature } from './chat-completion.ts'
import { createHold, dataEvent, type EventWriter } from '../../stream/event-writer.ts'

type Chunk = Record<string, unknown>
type Delta = Record<string, unknown>

/** @see https://platform.openai.com/docs/api-reference/chat */
export function createChunkWriter(stream: {
  id: string
  /** Unix seconds. */
  created: number
  /** The requested model, until the provider names the model that answered. */
  model: string
  includeUsage: boolean
  /** Hashes each chunk with a choice. A chunk that is held back is sent later in every case. */
  hasher: AnswerHasher
}): EventWriter {
  const choicesWithRole = new Set<number>()
  let { model } = stream
  let citations: readonly Citation[] = []
  const hold = createHold<Chunk>()
  /** Choice → its thinking. */
  const reasoning = new Map<number, { thinking: ReturnType<typeof createThinkingBlocks>; signature?: string }>()

  function reasoningOf(index: number) {
    const entry = reasoning.get(index) ?? { thinking: createThinkingBlocks() }
    reasoning.set(index, entry)
    return entry
  }

  /** Returns null if there is no thinking to return. */
  function writeReasoning(index: number): Chunk | null {
    const entry = reasoning.get(index)
    reasoning.delete(index)
    if (entry === undefined) return null
    const delta = presentReasoning({ thinking: entry.thinking.blocks(), signature: entry.signature })
    return Object.keys(delta).length === 0 ? null : choice(index, delta)
  }

  function pass(next: Chunk | null, isFinish: boolean): Uint8Array[] {
    if (next === null) return []
    stream.hasher.add(next)
    return hold.pass(next, isFinish).map(dataEvent)
  }

  function chunk(choices: object[]): Chunk {
    const { id, created, includeUsage } = stream
    const usage = includeUsage ? { usage: null } : {}
    return { id, object: 'chat.completion.chunk', created, model, choices, ...usage }
  }

  function choice(index: number, delta: Delta, finishReason: string | null = null): Chunk {
    const role = choicesWithRole.has(index) ? {} : { role: 'assistant' }
    choicesWithRole.add(index)
    return chunk([{ index, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }])
  }

  function write(event: StreamEvent): Chunk | null {
    switch (event.type) {
      case 'start':
        model = event.model ?? model
        return choice(0, {})
      case 'model':
        ;({ model } = event)
        return null
      case 'text':
        return choice(event.choice, { content: event.text })
      case 'refusal':
        return choice(event.choice, { refusal: event.text })
      case 'thinking':
        reasoningOf(event.choice).thinking.add(event)
        return null
      case 'signature':
        reasoningOf(event.choice).signature = event.signature
        return null
      case 'tool_call': {
        const { index, id, name, signature } = event
        const call = { index, id, type: 'function', function: { name, arguments: '' }, ...presentSignature(signature) }
        return choice(event.choice, { tool_calls: [call] })
      }
      case 'tool_arguments':
        return choice(event.choice, { tool_calls: [{ index: event.index, function: { arguments: event.fragment } }] })
      case 'finish':
        return choice(event.choice, {}, event.reason)
      case 'citations':
        ;({ citations } = event)
        return null
      case 'usage':
      case 'looked_up':
      case 'end':
      case 'failed':
        return null
    }
  }

  return {
    push({ events }) {
      return events.flatMap((event) => {
        if (event.type !== 'finish') return pass(write(event), false)
        return [...pass(writeReasoning(event.choice), true), ...pass(write(event), true)]
      })
    },
    bufferedBytes() {
      let bytes = 0
      for (const { thinking } of reasoning.values()) bytes += thinking.bytes()
      return bytes
    },
    isComplete: () => false, // its usage may be corrected until it ends
    finish({ aqta, usage }) {
      const [last] = hold.release()
      const finish = { ...last, ...presentCitations(citations) }
      const chunks = stream.includeUsage ? [finish, { ...chunk([]), usage, aqta }] : [{ ...finish, aqta }]
      return chunks.map(dataEvent)
    },
    close: closingMark,
    fail: (error) => [...hold.release(), error].map(dataEvent),
    outline: () => stream.hasher.outline(),
  }
}
