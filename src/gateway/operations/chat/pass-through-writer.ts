// Passes on the chunks of a provider that speaks the chat-completions standard. Events keep their bytes, with these
// exceptions. Usage that nobody asked for is removed. Missing roles, ids and arguments of calls are added, finish reasons are corrected, and
// `aqta` is added at the end.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { isJsonObject } from '../../../platform/json.ts'
import type { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import { bytesMatchAt } from '../../../providers/text-frame.ts'
import { areTokensUnknown, laterCounts, type StreamEvent } from '../../../providers/chat-answer.ts'
import { parseJson } from '../../../providers/lossless-json.ts'
import { FramedItem, type StreamItem } from '../../../providers/sse.ts'
import { createHold, dataEvent, withBlankLine, type EventWriter } from '../../stream/event-writer.ts'
import { closingMark } from './chat-completion.ts'

const chunkSchema = once(() =>
  z.looseObject({
    choices: z.array(
      z.looseObject({ index: z.int(), delta: z.looseObject({}).nullish(), finish_reason: z.string().nullish() }),
    ),
  }),
)

type Chunk = Infer<typeof chunkSchema>

/** `hasher`: hashes each chunk as it is sent, before its bytes may move. A chunk that is held back is sent later in every case. */
type Options = { includeUsage: boolean; choices: number; hasher: AnswerHasher }

export function createPassThroughWriter(stream: Options): EventWriter {
  const begunChoices = new Set<number>()
  const hold = createHold<{ bytes: Uint8Array; chunk: Chunk | null }>()
  const finished = new Set<number>()
  let usageChunk: Chunk | null = null
  /** True if the provider's usage cannot be passed on, because a count is missing or cannot be read. */
  let isUsageUnread = false
  /** True after the standard's last chunk, which has usage and no choices. Only the closing mark follows. */
  let hasLastChunk = false
  let isAqtaSent = false

  const areFinished = (): boolean => finished.size >= Math.max(stream.choices, begunChoices.size)

  /** Corrects the chunk. Returns true if something was changed. */
  function correctChunk(chunk: Chunk, { events }: StreamItem): boolean {
    let isChanged = false
    for (const choice of chunk.choices) {
      if (!begunChoices.has(choice.index) && choice.delta?.['role'] === undefined) {
        choice.delta = { role: 'assistant', ...choice.delta }
        isChanged = true
      }
      begunChoices.add(choice.index)
      if (addMintedIds(choice, events)) isChanged = true
      const finish = events.find((event) => event.type === 'finish' && event.choice === choice.index)
      if (finish?.type !== 'finish') continue
      finished.add(choice.index)
      const calls = missingArguments(events, choice.index)
      if (calls.length > 0) {
        const sent: unknown = choice.delta?.['tool_calls']
        const before: unknown[] = Array.isArray(sent) ? sent : []
        choice.delta = { ...choice.delta, tool_calls: [...before, ...calls] }
        isChanged = true
      }
      if (finish.reason === choice.finish_reason) continue
      choice.finish_reason = finish.reason
      isChanged = true
    }
    if (!chunk['usage']) return isChanged
    chunk['usage'] = null
    return true
  }

  /** Returns true once every choice has begun, while nothing is held back. Events that need no correction then pass unchanged. */
  const mayPass = (): boolean => begunChoices.size >= stream.choices && !hold.isHolding()

  const withUsageAsAsked = (bytes: Uint8Array): Uint8Array => (stream.includeUsage ? bytes : withoutNullUsage(bytes))

  function write(item: StreamItem): Uint8Array[] {
    const isFinish = item.events.some(({ type }) => type === 'finish')
    const usageEvent = item.events.find((event) => event.type === 'usage')
    const hasUsage = usageEvent !== undefined
    if (hasUsage) isUsageUnread = areTokensUnknown(usageEvent.usage)
    const json = item.json ?? parseJson(item.data ?? '')
    const minted = item.events.filter((event) => event.type === 'tool_call' && event.isMinted === true)
    const chunk = (mayPass() && !isFinish && !hasUsage && minted.length === 0) || !isChunk(json) ? null : json
    if (chunk !== null && hasUsage) {
      usageChunk = { ...chunk, choices: [], usage: laterCounts(usageChunk?.['usage'], chunk['usage']) }
    }
    if (chunk !== null && hasUsage && chunk.choices.length === 0) {
      hasLastChunk = areFinished()
      return []
    }
    const isCorrected = chunk !== null && correctChunk(chunk, item)
    if (isJsonObject(json)) stream.hasher.add(json)
    const bytes = withUsageAsAsked(isCorrected ? dataEvent(chunk) : withBlankLine(item.raw))
    return hold.pass({ bytes, chunk }, isFinish && !isAqtaSent).map((passed) => passed.bytes)
  }

  return {
    push(item) {
      if (item instanceof FramedItem && mayPass()) {
        stream.hasher.addContentBytes(item.choice, item.raw, item.textStart, item.textStart + item.textBytes)
        return [withUsageAsAsked(item.raw)]
      }
      if (item.events.some(({ type }) => type === 'end' || type === 'failed')) return []
      if (item.data === null) return item.raw.length === 0 ? [] : [withBlankLine(item.raw)]
      return write(item)
    },
    isComplete: () => hasLastChunk && areFinished(),
    bufferedBytes: () => 0,
    finish({ aqta, usage }) {
      isAqtaSent = true
      const [last] = hold.release()
      if (last === undefined || last.chunk === null) return []
      if (stream.includeUsage) {
        const lastUsage = usageChunk ?? { ...last.chunk, choices: [], usage }
        return [last.bytes, dataEvent({ ...lastUsage, ...(isUsageUnread && { usage }), aqta })]
      }
      const { usage: _, ...finish } = last.chunk
      return [dataEvent({ ...finish, aqta })]
    },
    close: closingMark,
    fail: (error) => [...hold.release().map(({ bytes }) => bytes), dataEvent(error)],
    outline: () => stream.hasher.outline(),
  }
}

/** Adds the ids of calls that came without one. Returns true if there was such a call. */
function addMintedIds({ index: at, delta }: Chunk['choices'][number], events: readonly StreamEvent[]): boolean {
  const calls: unknown = delta?.['tool_calls']
  if (!delta || !Array.isArray(calls)) return false
  const minted = events.flatMap((event) =>
    event.type === 'tool_call' && event.choice === at && event.isMinted === true ? [event] : [],
  )
  for (const call of calls) {
    const id = isJsonObject(call) ? minted.find(({ index }) => index === call['index'])?.id : undefined
    if (id !== undefined) Object.assign(call, { id })
  }
  return minted.length > 0
}

const missingArguments = (events: readonly StreamEvent[], choice: number): object[] =>
  events.flatMap((event) =>
    event.type === 'tool_arguments' && event.choice === choice && event.isMissing === true
      ? [{ index: event.index, function: { arguments: event.fragment } }]
      : [],
  )

/** Checks in place, because zod returns the members in another order. */
const isChunk = (value: unknown): value is Chunk => chunkSchema().safeParse(value).success

const decoder = new TextDecoder()
const encoder = new TextEncoder()

// SECURITY: the pattern cannot match inside a text, because quotes are escaped there.
const NULL_USAGE = /,\s*"usage"\s*:\s*null(?=\s*[,}])|"usage"\s*:\s*null\s*,/
const USUAL_NULL_USAGE = encoder.encode(',"usage":null')
const COMMA = 0x2c

/** Cuts the usual spelling out in place, because a copy of each event costs time; otherwise searches the text. */
function withoutNullUsage(bytes: Uint8Array): Uint8Array {
  const at = findNullUsage(bytes)
  if (at !== -1) {
    bytes.copyWithin(at, at + USUAL_NULL_USAGE.length)
    return bytes.subarray(0, bytes.length - USUAL_NULL_USAGE.length)
  }
  const text = decoder.decode(bytes)
  return NULL_USAGE.test(text) ? encoder.encode(text.replace(NULL_USAGE, '')) : bytes
}

/** Returns the position of the usual spelling, or -1. */
function findNullUsage(bytes: Uint8Array): number {
  for (let at = bytes.lastIndexOf(COMMA); at > 0; at = bytes.lastIndexOf(COMMA, at - 1)) {
    if (bytesMatchAt(USUAL_NULL_USAGE, bytes, at)) return at
  }
  return -1
}
