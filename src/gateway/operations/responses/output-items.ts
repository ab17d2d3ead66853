// Builds the output items of a response in OpenAI's form, and encodes reasoning so that callers can send it back.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { decodeBase64url, encodeBase64url } from '../../../evidence/records/base64.ts'
import type { JsonObject } from '../../../platform/json.ts'
import type { Citation } from '../../../providers/chat-answer.ts'
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

export const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

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
export type NamedCall = ToolName & { readonly id: string; readonly isCustom?: true | undefined }

/** How the two kinds of calls differ: the type of their items, the member with their text, and the name of their events. */
export const CALL_FORMS = {
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

type Versioned = Infer<typeof CarriedSchema>
type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never

export type CarriedReasoning = WithoutVersion<Versioned>

export const encodeReasoning = (carried: CarriedReasoning): string =>
  encodeBase64url(new TextEncoder().encode(JSON.stringify({ v: 1, ...carried })))

/** Returns null for a text that `encodeReasoning` did not make. */
export function decodeReasoning(encoded: string): CarriedReasoning | null {
  const bytes = decodeBase64url(encoded)
  return (bytes && CarriedSchema().safeParse(parseJson(new TextDecoder().decode(bytes))).data) ?? null
}
