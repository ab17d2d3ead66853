// Decodes chat-completion chunks, OpenAI's or those of providers that differ only in their leaves, into stream events (StreamEvent).
// Tells if the stream was cut off or malformed.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { StreamDecoder } from '../provider.ts'
import { mintCallId, type StreamEvent } from '../chat-answer.ts'
import { createStreamDecoder, type DecodeResult } from '../stream-decoder.ts'
import { createUsageReader, readFinishReason, reportsError, type ChatReaders, type TextSchema } from './answer.ts'
import { readOpenAiRejection } from './rejection.ts'

const IndexSchema = once(() => z.int().min(0))

const deltaSchema = (content: TextSchema, callArguments: TextSchema) =>
  z.object({
    content,
    refusal: z.string().nullish(),
    tool_calls: z
      .array(
        z.object({
          index: IndexSchema(),
          id: z.string().nullish(),
          function: z.object({ name: z.string().nullish(), arguments: callArguments }).nullish(),
          custom: z.object({ name: z.string().nullish(), input: z.string().nullish() }).nullish(),
        }),
      )
      .nullish(),
  })

/** Returns the schema of a chunk. The parameters read the content of a delta and the arguments of a call. */
export const chunkSchema = (content: TextSchema, callArguments: TextSchema) =>
  z.object({
    id: z.string().nullish(),
    model: z.string().nullish(),
    choices: z.array(
      z.object({
        index: IndexSchema(),
        delta: deltaSchema(content, callArguments).nullish(),
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: z.unknown().optional(),
  })

/** Compiled while the Worker starts, because later the runtime takes no new code. Where it takes none at all, zod reads it as it is. */
const ChunkSchema = z.compile(chunkSchema(z.string().nullish(), z.string().nullish()))

type Chunk = z.infer<typeof ChunkSchema>
type Delta = z.infer<ReturnType<typeof deltaSchema>>

type Call = { readonly id: string | null; readonly isNamed: boolean; readonly hasArguments: boolean }

const READERS: ChatReaders<Chunk> = {
  parse: (json) => ChunkSchema.safeParse(json),
  reportsError,
  readRejection: readOpenAiRejection,
}

/** @see https://platform.openai.com/docs/api-reference/chat */
export function createChunkDecoder(readers = READERS): StreamDecoder {
  const seen = new Set<number>()
  const finished = new Set<number>()
  /** Choice → call index → the call so far. */
  const calls = new Map<number, Map<number, Call>>()
  const readUsage = createUsageReader()
  let responseId = ''
  let started = false

  function readChunk(chunk: Chunk): StreamEvent[] {
    const events: StreamEvent[] = []
    if (!started) {
      started = true
      responseId = chunk.id ?? crypto.randomUUID()
      events.push({ type: 'start', id: chunk.id ?? null, model: chunk.model ?? null })
    }
    for (const { index, delta, finish_reason: reason } of chunk.choices) {
      seen.add(index)
      if (delta) events.push(...readDelta(index, delta))
      if (reason && !finished.has(index)) events.push(...finish(index, reason))
    }
    if (chunk.usage) events.push({ type: 'usage', usage: readUsage(chunk.usage) })
    return events
  }

  function readDelta(choice: number, delta: Delta): StreamEvent[] {
    const events: StreamEvent[] = []
    if (delta.content) events.push({ type: 'text', choice, text: delta.content })
    if (delta.refusal) events.push({ type: 'refusal', choice, text: delta.refusal })
    for (const { index, id, function: call, custom } of delta.tool_calls ?? []) {
      const called = calls.get(choice) ?? new Map<number, Call>()
      calls.set(choice, called)
      const name = custom?.name ?? call?.name
      const fragment = custom?.input ?? call?.arguments
      const before = called.get(index) ?? { id: null, isNamed: false, hasArguments: false }
      const after = {
        id: before.id ?? (id || null),
        isNamed: before.isNamed || Boolean(name),
        // The empty text is a whole input of a tool that takes free text.
        hasArguments: before.hasArguments || Boolean(fragment) || Boolean(custom),
      }
      called.set(index, after)
      if (name && !before.isNamed) {
        const named =
          after.id === null ? { id: mintCallId(responseId, choice, index), isMinted: true } : { id: after.id }
        events.push({ type: 'tool_call', choice, index, ...named, name, ...(custom && { isCustom: true }) })
      }
      if (fragment) events.push({ type: 'tool_arguments', choice, index, fragment })
    }
    return events
  }

  /** Adds empty arguments to calls without any, but only if the answer was not cut short. */
  function finish(choice: number, rawReason: string): StreamEvent[] {
    finished.add(choice)
    const called = [...(calls.get(choice) ?? [])]
    const reason = readFinishReason(rawReason)
    const isWhole = reason === 'tool_calls' || reason === 'stop'
    const missing = isWhole ? called.flatMap(([index, { hasArguments }]) => (hasArguments ? [] : [index])) : []
    const empty = missing.map((index): StreamEvent => ({
      type: 'tool_arguments',
      choice,
      index,
      fragment: '{}',
      isMissing: true,
    }))
    return [...empty, { type: 'finish', choice, reason }]
  }

  function conclude(): DecodeResult {
    if (seen.size === 0) return 'malformed'
    return finished.size < seen.size ? 'cut' : [{ type: 'end' }]
  }

  return createStreamDecoder({
    readRejection: readers.readRejection,
    read(json, data) {
      if (data.startsWith('[DONE]')) return conclude()
      if (readers.reportsError(json)) return 'error_event'
      const chunk = readers.parse(json)
      return chunk.success ? readChunk(chunk.data) : 'malformed'
    },
    close: () => 'cut',
  })
}
