// The answer, usage and stream events that every provider's reply is translated into. All later code uses only these. Also
// reads the usage that a provider reports.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { isJsonObject, type JsonObject } from '../platform/json.ts'
import type { Failure } from './failure.ts'
import type { ThinkingBlock, ToolCall } from './chat-request.ts'

/** The only finish reasons that callers see; every provider's word is mapped to one of them. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Token counts, disjoint: every token is counted in exactly one member. */
export type Usage = {
  readonly inputUncached: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Written to a cache for an hour, which costs more. */
  readonly cacheWriteHour: number
  readonly outputVisible: number
  readonly reasoning: number
  /** The provider's charge besides tokens (searches), in micro-dollars. */
  readonly feesMicrousd: number
  /** The parts that the report did not have, or that could not be read; absent if it was read in full. */
  readonly unread?: readonly UsagePart[]
}

/**
 * A part of usage. `input` and `output`: the counts are the least that was used. `details`: all tokens are counted, but fees may be
 * missing.
 */
export type UsagePart = 'input' | 'output' | 'details'

export type Choice = {
  readonly index: number
  readonly text: string
  readonly refusal: string | null
  readonly toolCalls: readonly ToolCall[]
  /** Thinking of an Anthropic model, and Gemini's signature of the text: to be sent back with the answer. */
  readonly thinking?: readonly ThinkingBlock[] | undefined
  readonly signature?: string | undefined
  /** All thinking, including blocks that cannot be sent back. */
  readonly thoughts?: readonly ThinkingBlock[] | undefined
  readonly finishReason: FinishReason
  /** The text that ended the answer, if it was applied here. */
  readonly stopSequence?: string | undefined
}

export type Citation = { readonly url: string; readonly title: string | null }

/** The searches of a model as its provider reported them: how many, and their texts in UTF-8 bytes. */
export type Searches = { readonly times: number; readonly bytes: number }

export type Answer = {
  readonly id: string | null
  readonly model: string | null
  readonly choices: readonly Choice[]
  /** Null if the provider sent none; zeros count as a report. */
  readonly usage: Usage | null
  readonly citations: readonly Citation[]
  /** Absent if the provider does not report searches. */
  readonly lookedUp?: Searches | undefined
}

export type StreamEvent =
  | { readonly type: 'start'; readonly id: string | null; readonly model: string | null }
  | { readonly type: 'text'; readonly choice: number; readonly text: string }
  | { readonly type: 'refusal'; readonly choice: number; readonly text: string }
  /**
   * A piece of a thinking block, appended to earlier pieces with the same index. `isAfterOutput`: the block came after visible output.
   */
  | {
      readonly type: 'thinking'
      readonly choice: number
      readonly index: number
      readonly piece: ThinkingBlock
      readonly isAfterOutput?: boolean | undefined
      /** The shown text of the piece, if it differs from the thinking. */
      readonly shown?: string | undefined
    }
  /** The signature of the whole text; comes once. */
  | { readonly type: 'signature'; readonly choice: number; readonly signature: string }
  | {
      readonly type: 'tool_call'
      readonly choice: number
      readonly index: number
      readonly id: string
      readonly name: string
      readonly isCustom?: true | undefined
      readonly signature?: string | undefined
      /** True if the provider has sent no id for the call. */
      readonly isMinted?: boolean
    }
  /** `isMissing`: the provider has sent no arguments for the call. */
  | {
      readonly type: 'tool_arguments'
      readonly choice: number
      readonly index: number
      readonly fragment: string
      readonly isMissing?: true
    }
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  /** All searches so far. */
  | { readonly type: 'looked_up'; readonly lookedUp: Searches }
  /** Another model than the one named at the start has answered. */
  | { readonly type: 'model'; readonly model: string }
  | {
      readonly type: 'finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stopSequence?: string | undefined
    }
  /** Cumulative: the last one counts, they are never added. Null: the provider's usage cannot be read. */
  | { readonly type: 'usage'; readonly usage: Usage | null }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly failure: Failure }

/** Returns the id of a call for which the provider sent none. It is the same whenever the same answer is read. */
export const mintCallId = (responseId: string, choice: number, index: number): string =>
  `call_${responseId.replaceAll(/[^a-z0-9]/gi, '').slice(0, 24)}_${choice}_${index}`

export type SentCall = Omit<ToolCall, 'id'> & { readonly id: string | null }

export const withCallId = (call: SentCall, responseId: string, choice: number, index: number): ToolCall => ({
  ...call,
  id: call.id ?? mintCallId(responseId, choice, index),
})

/** Returns the usage after a later report. An unreadable report marks the output as unread. */
export const laterUsage = (before: Usage | null, reported: Usage | null): Usage | null =>
  reported ??
  (before && { ...before, unread: [...(before.unread ?? []).filter((part) => part !== 'output'), 'output'] })

export const areTokensUnknown = (usage: Usage | null): boolean =>
  usage === null || (usage.unread ?? []).some((part) => part !== 'details')

export const inputTokens = (usage: Usage): number =>
  usage.inputUncached + usage.cacheRead + usage.cacheWrite + usage.cacheWriteHour

/** Returns the standard usage object. `total_tokens` is the sum of the other two by construction. */
export function standardUsage(usage: Usage): {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
} {
  const prompt = inputTokens(usage)
  const completion = usage.outputVisible + usage.reasoning
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite + usage.cacheWriteHour,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

/**
 * Builds usage from totals that include their parts; parts larger than their total are cut to it. A total that is unread is at least
 * its parts.
 */
export function usageFromTotals(totals: {
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
  feesMicrousd?: number
  isUnread?: UnreadParts
}): Usage {
  const { isUnread = { input: false, output: false, details: false } } = totals
  const input = isUnread.input ? Math.max(totals.input, totals.cacheRead + totals.cacheWrite) : totals.input
  const output = isUnread.output ? Math.max(totals.output, totals.reasoning) : totals.output
  const cacheRead = Math.min(totals.cacheRead, input)
  const cacheWrite = Math.min(totals.cacheWrite, input - cacheRead)
  const reasoning = Math.min(totals.reasoning, output)
  return {
    inputUncached: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWriteHour: 0,
    outputVisible: output - reasoning,
    reasoning,
    feesMicrousd: totals.feesMicrousd ?? 0,
    ...unreadParts(isUnread),
  }
}

type UnreadParts = Readonly<Record<UsagePart, boolean>>

const PARTS: readonly UsagePart[] = ['input', 'output', 'details']

export function unreadParts(isUnread: UnreadParts): Pick<Usage, 'unread'> {
  const unread = PARTS.filter((part) => isUnread[part])
  return unread.length === 0 ? {} : { unread }
}

/** Returns null for usage without any count: it says no more than no report. */
export function unlessEmpty(usage: Usage): Usage | null {
  const { unread = [], outputVisible, reasoning, feesMicrousd } = usage
  const isCounted = inputTokens(usage) + outputVisible + reasoning + feesMicrousd > 0
  return !isCounted && unread.includes('input') && unread.includes('output') ? null : usage
}

const MOST_TOKENS = 1_000_000_000
const MOST_USD = 10_000

/** A larger count than any call can use is a mistake of the provider. */
export const CountSchema = once(() => z.int().min(0).max(MOST_TOKENS))

/** In dollars. */
export const FeesSchema = once(() => z.number().min(0).max(MOST_USD))

/** `unread`: the names of the members that could not be read in full. */
export type ReportedUsage<Reported> = { readonly reported: Reported; readonly unread: ReadonlySet<string> }

/** Returns null if the value is no usage at all. Members that do not fit the schema are dropped. */
function readReportedUsage<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ReportedUsage<z.output<Schema>> | null {
  const whole = schema.safeParse(value)
  if (whole.success) return { reported: whole.data, unread: new Set() }
  const paths = whole.error.issues.map(({ path }) => path)
  const rest = schema.safeParse(paths.reduce(without, value))
  return rest.success ? { reported: rest.data, unread: new Set(paths.map(([name]) => String(name))) } : null
}

/**
 * Creates the reader of an answer's reports. A stream may report its usage in parts. The last value of each count is used; values are
 * never added. An unreadable count keeps the value before it, and is named as unread.
 */
export function createReportReader<Schema extends z.ZodType>(schema: Schema): UsageReader<z.output<Schema>> {
  let soFar: ReportedUsage<z.output<Schema>> = { reported: schema.parse({}), unread: new Set() }
  return (report) => {
    const now = readReportedUsage(schema, report)
    if (now === null) return null
    const counted: JsonObject = isJsonObject(now.reported) ? now.reported : {}
    const unread = [...soFar.unread].filter((name) => (counted[name] ?? null) === null)
    soFar = {
      reported: schema.parse(laterCounts(soFar.reported, counted)),
      unread: new Set([...unread, ...now.unread]),
    }
    return soFar
  }
}

/** Reads the next report, and returns all counts so far. Null if the value is no usage at all. */
export type UsageReader<Reported> = (report: unknown) => ReportedUsage<Reported> | null

/** Returns the counts after a later report, which may have only some of them. */
export function laterCounts(before: unknown, now: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(now)) return now ?? before
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return Object.fromEntries([...names].map((name) => [name, laterCounts(before[name], now[name])]))
}

/** Returns the usage in an answer that does not fit its schema. `member`: the member of the body that has it. */
export const usageIn = (body: unknown, read: (usage: unknown) => Usage | null, member = 'usage'): Usage | null =>
  isJsonObject(body) ? read(body[member]) : null

function without(value: unknown, [name, ...inner]: readonly PropertyKey[]): unknown {
  if (typeof value !== 'object' || value === null || name === undefined) return value
  const members = Object.entries(value)
  if (inner.length === 0) return Object.fromEntries(members.filter(([member]) => member !== name))
  return Object.fromEntries(members.map(([member, held]) => [member, member === name ? without(held, inner) : held]))
}
