// Decodes an answer of Perplexity's Agent API that comes in one piece. The schemas and readers also serve stream.ts. A failed run
// is a 200 with a failed status.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { DecodedAnswer } from '../provider.ts'
import {
  CountSchema,
  createReportReader,
  FeesSchema,
  withCallId,
  unlessEmpty,
  usageFromTotals,
  usageIn,
  type Citation,
  type FinishReason,
  type Searches,
  type SentCall,
  type Usage,
} from '../chat-answer.ts'
import { byteLength } from '../lossless-json.ts'
import { upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../chat-request.ts'
import { OWN_TOOL_NAMES } from './encode.ts'

/** An empty list may be null. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? [])

const CallSchema = once(() =>
  z
    .object({
      type: z.literal('function_call'),
      call_id: z.string().nullish(),
      name: z.string(),
      arguments: z.string().nullish(),
      thought_signature: z.string().nullish(),
    })
    .transform(({ call_id: id, name, arguments: text, thought_signature: signature }) => ({
      call: { id: id || null, name, arguments: text || '{}', ...(signature ? { signature } : {}) } satisfies SentCall,
    })),
)

const MessageSchema = once(() =>
  z
    .object({
      type: z.literal('message'),
      id: z.string().nullish(),
      content: listOf(z.object({ type: z.string(), text: z.string().nullish() })),
    })
    .transform(({ id, content }) => ({
      message: {
        id: id ?? null,
        text: content.map((block) => (block.type === 'output_text' ? (block.text ?? '') : '')).join(''),
      },
    })),
)

const READ_ITEMS: ReadonlySet<string> = new Set(['message', 'function_call', 'search_results', 'fetch_url_results'])

const CitationsSchema = once(() =>
  z
    .array(z.object({ url: z.string(), title: z.string().nullish() }))
    .transform((pages): Citation[] => pages.map(({ url, title }) => ({ url, title: title ?? null }))),
)

/** Pages that the model found or opened, and the length of their texts in bytes. */
const PagesSchema = once(() =>
  z.array(z.unknown()).transform((pages, context) => {
    const citations = CitationsSchema().safeParse(pages)
    if (citations.success) return { citations: citations.data, bytes: textBytes(pages) }
    context.addIssue({ code: 'custom', message: 'expected pages' })
    return z.NEVER
  }),
)

function textBytes(value: unknown): number {
  if (typeof value === 'string') return byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((bytes, member) => bytes + textBytes(member), 0)
}

export const ItemSchema = once(() =>
  z.union([
    MessageSchema(),
    CallSchema(),
    z
      .object({ type: z.literal('search_results'), results: PagesSchema().nullish() })
      .transform(({ type, results }) => ({ type, results: results?.citations, lookedUp: results?.bytes ?? 0 })),
    z
      .object({ type: z.literal('fetch_url_results'), contents: PagesSchema().nullish() })
      .transform(({ type, contents }) => ({ type, contents: contents?.citations, lookedUp: contents?.bytes ?? 0 })),
    z.object({ type: z.string().refine((type) => !READ_ITEMS.has(type)) }),
  ]),
)

const UsageSchema = once(() =>
  z.object({
    input_tokens: CountSchema().nullish(),
    output_tokens: CountSchema().nullish(),
    input_tokens_details: z
      .object({
        cache_read_input_tokens: CountSchema().nullish(),
        cached_tokens: CountSchema().nullish(),
        cache_creation_input_tokens: CountSchema().nullish(),
      })
      .nullish(),
    output_tokens_details: z.object({ reasoning_tokens: CountSchema().nullish() }).nullish(),
    cost: z.object({ tool_calls_cost: FeesSchema().nullish() }).nullish(),
  }),
)

export const ResponseSchema = once(() =>
  z.object({
    id: z.string(),
    model: z.string().nullish(),
    status: z.string(),
    output: z.array(ItemSchema()).nullish(),
    incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
    usage: z.unknown().optional(),
  }),
)

export type AgentResponse = Infer<typeof ResponseSchema>

/** Returns null if no count can be read. */
export function readUsage(usage: unknown): Usage | null {
  const read = createReportReader(UsageSchema())(usage)
  if (read === null) return null
  const { reported, unread } = read
  const fees = reported.cost?.tool_calls_cost
  const isUnread = {
    input: typeof reported.input_tokens !== 'number',
    output: typeof reported.output_tokens !== 'number',
  }
  return unlessEmpty(
    usageFromTotals({
      input: reported.input_tokens ?? 0,
      cacheRead:
        reported.input_tokens_details?.cache_read_input_tokens ?? reported.input_tokens_details?.cached_tokens ?? 0,
      cacheWrite: reported.input_tokens_details?.cache_creation_input_tokens ?? 0,
      output: reported.output_tokens ?? 0,
      reasoning: reported.output_tokens_details?.reasoning_tokens ?? 0,
      feesMicrousd: Math.round((fees ?? 0) * 1_000_000),
      isUnread: {
        ...isUnread,
        details: unread.size > 0 || ((isUnread.input || isUnread.output) && typeof fees !== 'number'),
      },
    }),
  )
}

const NO_ANSWER: ReadonlySet<string> = new Set(['failed', 'cancelled', 'queued', 'in_progress'])

/**
 * Returns null for a run that failed, was cancelled or is not finished. An unknown status is `content_filter`, so that an answer
 * with an unknown end is never reported as whole.
 */
export function readStatus(response: AgentResponse, hasToolCalls: boolean): FinishReason | null {
  const { status, incomplete_details: details } = response
  if (status === 'completed') return hasToolCalls ? 'tool_calls' : 'stop'
  if (status === 'requires_action' && hasToolCalls) return 'tool_calls'
  if (status === 'incomplete' && details?.reason !== 'content_filter') return 'length'
  return NO_ANSWER.has(status) ? null : 'content_filter'
}

/** Returns the messages in order. The id of each shows whether its text has already come. */
export const readMessages = ({ output }: AgentResponse): { id: string | null; text: string }[] =>
  (output ?? []).flatMap((item) => ('message' in item ? [item.message] : []))

/** Returns all found pages first, because the text refers to them by number; then those that were only opened. */
export function readCitations({ output }: AgentResponse): Citation[] {
  const found = (output ?? []).flatMap((item) => ('results' in item ? (item.results ?? []) : []))
  const opened = (output ?? []).flatMap((item) => ('contents' in item ? (item.contents ?? []) : []))
  const known = new Set(found.map(({ url }) => url))
  return [...found, ...opened.filter(({ url }) => known.size < known.add(url).size)]
}

export function readSearches({ output }: AgentResponse): Searches {
  const reported = (output ?? []).flatMap((item) => ('lookedUp' in item ? [item.lookedUp] : []))
  return { times: reported.length, bytes: reported.reduce((sum, bytes) => sum + bytes, 0) }
}

export function readCalls({ id, output }: AgentResponse): ToolCall[] {
  const sent = (output ?? []).flatMap((item) => ('call' in item && !isOwnTool(item.call) ? [item.call] : []))
  return sent.map((call, at) => withCallId(call, id, 0, at))
}

/** Returns true if Perplexity runs the call itself: its stream also has calls for its own searches. */
export const isOwnTool = ({ name }: Pick<ToolCall, 'name'>): boolean => OWN_TOOL_NAMES.has(name)

/** @see https://docs.perplexity.ai/api-reference/agent-post */
export function decodePerplexityAgent(body: unknown): DecodedAnswer {
  const parsed = ResponseSchema().safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed'), usage: usageIn(body, readUsage) }
  const response = parsed.data
  const toolCalls = readCalls(response)
  const finishReason = readStatus(response, toolCalls.length > 0)
  const usage = readUsage(response.usage)
  if (finishReason === null) return { ok: false, failure: upstreamFailure('error_event'), usage }
  return {
    ok: true,
    answer: {
      id: response.id,
      model: response.model ?? null,
      choices: [
        {
          index: 0,
          text: readMessages(response)
            .map(({ text }) => text)
            .join(''),
          refusal: null,
          toolCalls,
          finishReason,
        },
      ],
      usage,
      citations: readCitations(response),
      lookedUp: readSearches(response),
    },
  }
}
