// The items of an answer's output, as OpenAI's Responses have them.
import type { Citation } from '../../providers/answer.ts'
import type { JsonObject } from '../../platform/json-object.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

const PREFIXES = { message: 'msg', function_call: 'fc', reasoning: 'rs' } as const

/** Of the item at `index` of the answer whose trace this is. */
export const itemId = (traceId: string, type: keyof typeof PREFIXES, index: number): string =>
  `${PREFIXES[type]}_${traceId.slice('tr_'.length)}_${index}`

export const outputText = (text: string, annotations: readonly JsonObject[] = []): JsonObject => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

export const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

/** Providers name pages for the answer as a whole, so each citation stands at the end of the text and covers none of it. */
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

type Call = { readonly id: string; readonly name: string; readonly arguments: string }

export const callItem = ({ id, status }: Item, call: Call): JsonObject => ({
  id,
  type: 'function_call',
  status,
  call_id: call.id,
  name: call.name,
  arguments: call.arguments,
})

/** `sealed` only where the caller asked to have the reasoning carried, `summary` where it asked for that. */
export const reasoningItem = (
  { id, status }: Item,
  { sealed, summary = [] }: { sealed?: string | undefined; summary?: readonly string[] },
): JsonObject => ({
  id,
  type: 'reasoning',
  status,
  summary: summary.map(summaryPart),
  ...(sealed === undefined ? {} : { encrypted_content: sealed }),
})
