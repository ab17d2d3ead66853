// Builds the output items of a response in OpenAI's form (a message, a call, reasoning), and writes their stream events. Collects an
// item's text, which its last events repeat as a whole. Encodes reasoning so that callers can send it back.
import type { JsonObject } from '../../../platform/json.ts'
import type { Citation, StreamEvent } from '../../../providers/chat-answer.ts'
import type { ThinkingBlock } from '../../../providers/chat-request.ts'
import { createThinkingBlocks } from '../../../providers/thinking-blocks.ts'
import { createTextBuffer, type TextBuffer } from '../../stream/text-buffer.ts'
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { decodeBase64url, encodeBase64url } from '../../../evidence/records/base64.ts'
import { parseJson } from '../../../providers/lossless-json.ts'
import { MAX_THINKING_BLOCKS } from '../chat/chat-message.schema.ts'
import type { ToolName } from './list-tools.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const PREFIXES = { message: 'msg', function_call: 'fc', custom_tool_call: 'ctc', reasoning: 'rs' } as const

export type ItemType = keyof typeof PREFIXES

export const itemId = (traceId: string, type: ItemType, index: number): string =>
  `${PREFIXES[type]}_${traceId.slice('tr_'.length)}_${index}`

export const outputText = (text: string, annotations: readonly JsonObject[] = []): JsonObject => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

/** Places each citation at the end of the text, covering none of it: providers name pages for the whole answer. */
export const urlCitations = (citations: readonly Citation[], text: string): JsonObject[] =>
  citations.map(({ url, title }) => ({
    type: 'url_citation',
    url,
    title: title ?? url,
    start_index: text.length,
    end_index: text.length,
  }))

type Item = { readonly id: string; readonly status: ItemStatus }

export const messageItem = ({ id, status }: Item, content: readonly JsonObject[]): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
})

/** A call by the caller's name of its tool. */
type NamedCall = ToolName & { readonly id: string; readonly isCustom?: true | undefined }

/** How the two kinds of calls differ: the type of their items, the member with their text, and the name of their events. */
const CALL_FORMS = {
  function: { type: 'function_call', member: 'arguments', event: 'function_call_arguments' },
  custom: { type: 'custom_tool_call', member: 'input', event: 'custom_tool_call_input' },
} as const

export const formOf = ({ isCustom }: Pick<NamedCall, 'isCustom'>) => CALL_FORMS[isCustom ? 'custom' : 'function']

export function callItem({ id, status }: Item, call: NamedCall, text: string): JsonObject {
  const { type, member } = formOf(call)
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace }
  return { id, type, status, call_id: call.id, name: call.name, ...namespace, [member]: text }
}

/** `encoded` and `summary` only if the caller asked for them. */
export const reasoningItem = (
  { id, status }: Item,
  { encoded, summary = [] }: { encoded?: string | undefined; summary?: readonly string[] },
): JsonObject => ({
  id,
  type: 'reasoning',
  status,
  summary: summary.map(summaryPart),
  ...(encoded === undefined ? {} : { encrypted_content: encoded }),
})

const ThinkingBlockSchema = once(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  ]),
)

const CarriedSchema = once(() =>
  z.discriminatedUnion('provider', [
    z.strictObject({
      v: z.literal(1),
      provider: z.literal('anthropic'),
      thinking: z.array(ThinkingBlockSchema()).min(1).max(MAX_THINKING_BLOCKS).readonly(),
    }),
    z.strictObject({
      v: z.literal(1),
      provider: z.literal('google'),
      /** Belongs to the text if no call is named. */
      signature: z.string().min(1),
      call: z.string().min(1).optional(),
    }),
  ]),
)

type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never

export type CarriedReasoning = WithoutVersion<Infer<typeof CarriedSchema>>

export const encodeReasoning = (carried: CarriedReasoning): string =>
  encodeBase64url(new TextEncoder().encode(JSON.stringify({ v: 1, ...carried })))

/** Returns null for a text that `encodeReasoning` did not make. */
export function decodeReasoning(encoded: string): CarriedReasoning | null {
  const bytes = decodeBase64url(encoded)
  return (bytes && CarriedSchema().safeParse(parseJson(new TextDecoder().decode(bytes))).data) ?? null
}

export type NamedEvent = { readonly type: string } & JsonObject

type Place = { readonly id: string; readonly index: number }

type ClosedItem = { readonly events: readonly NamedEvent[]; readonly item: JsonObject }

export type OpenItem = {
  readonly index: number
  bufferedBytes(): number
  close(status: ItemStatus): ClosedItem
}

const itemAdded = (index: number, item: JsonObject): NamedEvent => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
})

const itemDone = (index: number, item: JsonObject): NamedEvent => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})

export type OpenMessage = OpenItem & {
  add(kind: 'text' | 'refusal', piece: string): NamedEvent[]
  cite(citations: readonly Citation[]): void
}

const PARTS = {
  text: { build: outputText, name: 'output_text', member: 'text', more: { logprobs: [] } },
  refusal: { build: refusalPart, name: 'refusal', member: 'refusal', more: {} },
} as const

type OpenPart = { readonly kind: keyof typeof PARTS; readonly at: number; readonly buffer: TextBuffer }

export function openMessage({ id, index }: Place): { message: OpenMessage; events: NamedEvent[] } {
  const parts = new Map<keyof typeof PARTS, OpenPart>()
  let citations: readonly Citation[] = []

  const place = (at: number) => ({ item_id: id, output_index: index, content_index: at })

  const annotationEvent = (at: number, number: number, annotation: JsonObject): NamedEvent => ({
    type: 'response.output_text.annotation.added',
    ...place(at),
    annotation_index: number,
    annotation,
  })

  function partOf(kind: keyof typeof PARTS, events: NamedEvent[]): OpenPart {
    const open = parts.get(kind)
    if (open !== undefined) return open
    const part = { kind, at: parts.size, buffer: createTextBuffer() }
    parts.set(kind, part)
    events.push({ type: 'response.content_part.added', ...place(part.at), part: PARTS[kind].build('') })
    return part
  }

  function closePart({ kind, at, buffer }: OpenPart): { events: NamedEvent[]; part: JsonObject } {
    const { name, member, more } = PARTS[kind]
    const text = buffer.text()
    const annotations = kind === 'text' ? urlCitations(citations, text) : []
    const part = kind === 'text' ? outputText(text, annotations) : refusalPart(text)
    const events = [
      ...annotations.map((annotation, number) => annotationEvent(at, number, annotation)),
      { type: `response.${name}.done`, ...place(at), [member]: text, ...more },
      { type: 'response.content_part.done', ...place(at), part },
    ]
    return { events, part }
  }

  const message: OpenMessage = {
    index,
    add(kind, piece) {
      const events: NamedEvent[] = []
      const { at, buffer } = partOf(kind, events)
      const { name, more } = PARTS[kind]
      buffer.add(piece)
      if (piece !== '') events.push({ type: `response.${name}.delta`, ...place(at), delta: piece, ...more })
      return events
    },
    cite(given) {
      citations = given
    },
    bufferedBytes: () => [...parts.values()].reduce((sum, { buffer }) => sum + buffer.bytes(), 0),
    close(status) {
      const closed = [...parts.values()].map(closePart)
      const item = messageItem(
        { id, status },
        closed.map(({ part }) => part),
      )
      return { events: [...closed.flatMap(({ events }) => events), itemDone(index, item)], item }
    },
  }
  return { message, events: [itemAdded(index, messageItem({ id, status: 'in_progress' }, []))] }
}

export type OpenCall = OpenItem & { add(fragment: string): NamedEvent }

export function openCall({ id, index }: Place, called: NamedCall): { call: OpenCall; events: NamedEvent[] } {
  const buffer = createTextBuffer()
  const place = { item_id: id, output_index: index }
  const { event, member } = formOf(called)
  const call: OpenCall = {
    index,
    add(fragment) {
      buffer.add(fragment)
      return { type: `response.${event}.delta`, ...place, delta: fragment }
    },
    bufferedBytes: () => buffer.bytes(),
    close(status) {
      const text = buffer.text()
      const item = callItem({ id, status }, called, text)
      const whole = { type: `response.${event}.done`, ...place, name: called.name, [member]: text }
      return { events: [whole, itemDone(index, item)], item }
    },
  }
  return { call, events: [itemAdded(index, callItem({ id, status: 'in_progress' }, called, ''))] }
}

export const wholeItem = (index: number, startedItem: JsonObject, item: JsonObject): NamedEvent[] => [
  itemAdded(index, startedItem),
  itemDone(index, item),
]

/** How much of its reasoning an answer shows. */
export type ReasoningShown = { readonly carriesReasoning: boolean; readonly summary: string | null }

export type ThinkingEvent = Extract<StreamEvent, { type: 'thinking' }>

export type OpenReasoning = OpenItem & {
  add(event: ThinkingEvent): NamedEvent[]
}

export const showsPiece = (shown: ReasoningShown, piece: ThinkingBlock): boolean =>
  shown.carriesReasoning || isInSummary(shown, piece)

export const isInSummary = (
  { summary }: ReasoningShown,
  piece: ThinkingBlock,
): piece is Extract<ThinkingBlock, { type: 'thinking' }> =>
  summary !== null && piece.type === 'thinking' && piece.thinking !== ''

export function openReasoning(
  { id, index }: Place,
  shown: ReasoningShown,
): { reasoning: OpenReasoning; events: NamedEvent[] } {
  const blocks = createThinkingBlocks()
  /** The parts of the summary, by the number of their block. */
  const parts = new Map<number, { at: number; buffer: TextBuffer }>()

  const place = (at: number) => ({ item_id: id, output_index: index, summary_index: at })

  function addSummaryText(block: number, text: string): NamedEvent[] {
    const events: NamedEvent[] = []
    const part = parts.get(block) ?? { at: parts.size, buffer: createTextBuffer() }
    if (!parts.has(block)) {
      parts.set(block, part)
      events.push({ type: 'response.reasoning_summary_part.added', ...place(part.at), part: summaryPart('') })
    }
    part.buffer.add(text)
    return [...events, { type: 'response.reasoning_summary_text.delta', ...place(part.at), delta: text }]
  }

  const reasoning: OpenReasoning = {
    index,
    add(event) {
      if (shown.carriesReasoning) blocks.add(event)
      const { piece, shown: text = piece.type === 'thinking' ? piece.thinking : '' } = event
      return shown.summary === null || text === '' ? [] : addSummaryText(event.index, text)
    },
    bufferedBytes: () => [...parts.values()].reduce((sum, { buffer }) => sum + buffer.bytes(), blocks.bytes()),
    close(status) {
      const summaries = [...parts.values()].map(({ at, buffer }) => ({ at, text: buffer.text() }))
      const thinking = blocks.blocks()
      const encoded = thinking && encodeReasoning({ provider: 'anthropic', thinking })
      const item = reasoningItem({ id, status }, { encoded, summary: summaries.map(({ text }) => text) })
      const events = summaries.flatMap(({ at, text }) => [
        { type: 'response.reasoning_summary_text.done', ...place(at), text },
        { type: 'response.reasoning_summary_part.done', ...place(at), part: summaryPart(text) },
      ])
      return { events: [...events, itemDone(index, item)], item }
    },
  }
  return { reasoning, events: [itemAdded(index, reasoningItem({ id, status: 'in_progress' }, {}))] }
}
