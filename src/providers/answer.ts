// One answer, one usage and one set of stream events, whichever provider they came from.
import type { Failure } from './failure.ts'
import type { ToolCall } from './request.ts'

/** The only values that may leave; whatever else a provider says becomes one of them. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Tokens, disjoint: every token is counted in exactly one member. */
export type Usage = {
  readonly inputUncached: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Written to be kept for an hour, which is dearer. */
  readonly cacheWriteHour: number
  readonly outputVisible: number
  readonly reasoning: number
  /** What the provider says it charges beside tokens (searches), in micro-dollars. */
  readonly feesMicrousd: number
}

type Choice = {
  readonly index: number
  readonly text: string
  readonly refusal: string | null
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: FinishReason
}

export type Citation = { readonly url: string; readonly title: string | null }

export type Answer = {
  readonly id: string | null
  readonly model: string | null
  readonly choices: readonly Choice[]
  /** null when the provider sent none; zeros are an answer, not an absence. */
  readonly usage: Usage | null
  readonly citations: readonly Citation[]
}

export type StreamEvent =
  | { readonly type: 'start'; readonly id: string | null; readonly model: string | null }
  | { readonly type: 'text'; readonly choice: number; readonly text: string }
  | { readonly type: 'refusal'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'tool_call'
      readonly choice: number
      readonly index: number
      readonly id: string
      readonly name: string
      readonly signature?: string | undefined
    }
  | { readonly type: 'tool_arguments'; readonly choice: number; readonly index: number; readonly fragment: string }
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: FinishReason }
  /** Cumulative: the last one holds, they are never added. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly failure: Failure }

/** What a stream amounts to so far: the same answer the provider would have given in one piece. */
export function assembleAnswer(events: Iterable<StreamEvent>): Answer {
  type OpenCall = { id: string; name: string; arguments: string; signature?: string | undefined }
  type OpenChoice = { text: string; refusal: string | null; calls: Map<number, OpenCall>; finish: FinishReason }
  const choices = new Map<number, OpenChoice>()
  const choiceAt = (index: number): OpenChoice => {
    const known = choices.get(index)
    if (known !== undefined) return known
    const created: OpenChoice = { text: '', refusal: null, calls: new Map(), finish: 'stop' }
    choices.set(index, created)
    return created
  }
  let id: string | null = null
  let model: string | null = null
  let usage: Usage | null = null
  let citations: readonly Citation[] = []
  for (const event of events) {
    if (event.type === 'start') ({ id, model } = event)
    else if (event.type === 'text') choiceAt(event.choice).text += event.text
    else if (event.type === 'refusal') {
      const choice = choiceAt(event.choice)
      choice.refusal = (choice.refusal ?? '') + event.text
    } else if (event.type === 'tool_call') {
      const { id: callId, name, signature } = event
      choiceAt(event.choice).calls.set(event.index, { id: callId, name, arguments: '', signature })
    } else if (event.type === 'tool_arguments') {
      const call = choiceAt(event.choice).calls.get(event.index)
      if (call !== undefined) call.arguments += event.fragment
    } else if (event.type === 'finish') choiceAt(event.choice).finish = event.reason
    else if (event.type === 'usage') ({ usage } = event)
    else if (event.type === 'citations') ({ citations } = event)
  }
  return {
    id,
    model,
    choices: [...choices]
      .toSorted(([first], [second]) => first - second)
      .map(([index, choice]) => ({
        index,
        text: choice.text,
        refusal: choice.refusal,
        toolCalls: [...choice.calls.values()],
        finishReason: choice.finish,
      })),
    usage,
    citations,
  }
}

/** All that was sent, however it is priced. */
export function inputTokens(usage: Usage): number {
  return usage.inputUncached + usage.cacheRead + usage.cacheWrite + usage.cacheWriteHour
}

/** The standard usage object. `total_tokens` is the sum of the other two by construction. */
export function standardUsage(usage: Usage): {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
} {
  const prompt = inputTokens(usage)
  const completion = usage.outputVisible + usage.reasoning
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

/** Usage from totals that include their parts; parts larger than their total are cut to it. */
export function usageFromTotals(totals: {
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
  feesMicrousd?: number
}): Usage {
  const cacheRead = Math.min(totals.cacheRead, totals.input)
  const cacheWrite = Math.min(totals.cacheWrite, totals.input - cacheRead)
  const reasoning = Math.min(totals.reasoning, totals.output)
  return {
    inputUncached: totals.input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWriteHour: 0,
    outputVisible: totals.output - reasoning,
    reasoning,
    feesMicrousd: totals.feesMicrousd ?? 0,
  }
}
