// Counts a call's output, and computes its usage and cost, however the call ended. A missing usage is estimated. Also notes the
// model that the provider named. Pure.
import {
  laterUsage,
  type Answer,
  type FinishReason,
  type Searches,
  type Usage,
  type UsagePart,
} from '../../providers/chat-answer.ts'
import type { Prices } from '../../providers/catalogue.schema.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import { costMicroeur, type EurRate } from '../../providers/call-cost.ts'
import { estimateReportedSearches, estimateOneSearch, estimateUsage } from '../../providers/estimate-tokens.ts'
import type { Failure } from '../../providers/failure.ts'
import { readServedModel } from '../../providers/served-model.ts'
import type { Completion } from '../../providers/provider-client.ts'
import type { StreamItem } from '../../providers/sse.ts'
import { byteLength } from '../../providers/lossless-json.ts'
import { thinkingBytes } from '../../providers/thinking-blocks.ts'

/** The provider's output so far: counts, never text. */
export type ProducedOutput = {
  /** The usage that the provider reported; null if it reported none. Zeros count as a report. */
  readonly usage: Usage | null
  /** All output in UTF-8 bytes, including tool arguments and thoughts. */
  readonly outputBytes: number
  readonly finishReason: FinishReason | null
  /** The model's searches; null if the provider does not report them. */
  readonly lookedUp: Searches | null
  /** The model that the provider named; null if it named none, or not in plain characters. */
  readonly servedModel: string | null
}

export const NOTHING_PRODUCED: ProducedOutput = {
  usage: null,
  outputBytes: 0,
  finishReason: null,
  lookedUp: null,
  servedModel: null,
}

export type Bill = {
  /** Null if nothing can have been billed. */
  readonly usage: Usage | null
  readonly estimated: boolean
  readonly costMicroeur: number
} & Pick<ProducedOutput, 'finishReason' | 'servedModel'>

/**
 * `inputTokens` is an estimate. `mostOutputTokens` is the output limit that the provider was sent. The route that the call was sent by
 * last has the prices.
 */
type CallBounds = {
  readonly outline: { readonly inputTokens: number }
  readonly routes: { readonly last: { readonly model: Model; readonly prices: Prices } }
  readonly mostOutputTokens: number
}

/** @param failure why the answer is not whole, or null */
export function billCall(
  { outline: { inputTokens }, routes, mostOutputTokens }: CallBounds,
  produced: ProducedOutput,
  failure: Failure | null,
  rate: EurRate,
): Bill {
  const { finishReason, servedModel } = produced
  const { model, prices } = routes.last
  if (failure !== null && !mayBeBilled(failure))
    return { usage: null, estimated: false, costMicroeur: 0, finishReason, servedModel }
  const isReported = failure === null && produced.usage !== null && produced.usage.unread === undefined
  const usage = isReported
    ? produced.usage
    : mergeWithReport(estimateUsed(model, inputTokens, produced, mostOutputTokens), produced.usage, {
        mostInputTokens: model.limits.contextTokens,
        mostOutputTokens,
        isWhole: failure === null,
      })
  return { usage, estimated: !isReported, costMicroeur: costMicroeur(usage, prices, rate), finishReason, servedModel }
}

/** Bills an answer in one piece, or the failure in the place of any answer. */
export function billCompletion(call: CallBounds, completion: Completion, rate: EurRate): Bill {
  return completion.ok
    ? billCall(call, producedByAnswer(completion.answer), null, rate)
    : billCall(call, { ...NOTHING_PRODUCED, usage: completion.usage ?? null }, completion.failure, rate)
}

/** Providers do not bill a call that they answer with an error status. They bill the work done if they fail later. */
const mayBeBilled = (failure: Failure): boolean =>
  failure.kind !== 'unsupported' && failure.billed === 'maybe' && failure.cause !== 'status'

/** Estimates the usage. If the provider reported no search, a model that has written is taken to have searched once. */
function estimateUsed(
  model: Model,
  inputTokens: number,
  { outputBytes, lookedUp }: ProducedOutput,
  mostOutputTokens: number,
): Usage {
  const usage = estimateUsage(inputTokens, outputBytes, mostOutputTokens)
  if (lookedUp === null && outputBytes === 0) return usage
  const { inputUncached, feesMicrousd } =
    lookedUp === null ? estimateOneSearch(model) : estimateReportedSearches(model, lookedUp)
  return { ...usage, inputUncached: usage.inputUncached + inputUncached, feesMicrousd }
}

type Bounds = { readonly mostInputTokens: number; readonly mostOutputTokens: number; readonly isWhole: boolean }

/**
 * Combines the estimate with an incomplete report: takes every part that was read, and the higher of both for any other. The output
 * of an answer that is not whole counts as unread. An estimate never exceeds the output limit.
 */
function mergeWithReport(
  estimate: Usage,
  reported: Usage | null,
  { mostInputTokens, mostOutputTokens, isWhole }: Bounds,
): Usage {
  if (reported === null) return estimate
  const { unread = [], ...read } = reported
  const cached = read.cacheRead + read.cacheWrite + read.cacheWriteHour
  const guessed = Math.min(estimate.outputVisible, mostOutputTokens - read.reasoning)
  const has = (part: UsagePart): boolean => !unread.includes(part)
  // Cached parts above the most that the prompt can have are no report of this prompt.
  const isPossible = has('input') || cached <= mostInputTokens
  const parts = isPossible ? read : { ...read, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }
  const uncached = estimate.inputUncached - (isPossible ? cached : 0)
  return {
    ...parts,
    inputUncached: has('input') ? read.inputUncached : Math.max(read.inputUncached, uncached),
    outputVisible: has('output') && isWhole ? read.outputVisible : Math.max(read.outputVisible, guessed),
    feesMicrousd: has('details') ? read.feesMicrousd : Math.max(read.feesMicrousd, estimate.feesMicrousd),
  }
}

export function producedByAnswer({ model, choices, usage, lookedUp }: Answer): ProducedOutput {
  const written = choices.flatMap(({ text, refusal, toolCalls }) => [
    text,
    refusal ?? '',
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ])
  const thought = choices.flatMap(({ thoughts = [] }) => thoughts.map(thinkingBytes))
  const outputBytes = [...thought, ...written.map(byteLength)].reduce((sum, bytes) => sum + bytes, 0)
  return {
    usage,
    outputBytes,
    finishReason: choices[0]?.finishReason ?? null,
    lookedUp: lookedUp ?? null,
    servedModel: readServedModel(model),
  }
}

export type OutputCounter = { add(item: Pick<StreamItem, 'events' | 'textBytes'>): void; produced(): ProducedOutput }

export function createOutputCounter(): OutputCounter {
  let outputBytes = 0
  let usage: Usage | null = null
  let finishReason: FinishReason | null = null
  let lookedUp: Searches | null = null
  let servedModel: string | null = null
  return {
    add(item) {
      if (item.textBytes !== undefined) {
        outputBytes += item.textBytes
        return
      }
      for (const event of item.events) {
        if (event.type === 'text' || event.type === 'refusal') outputBytes += byteLength(event.text)
        else if (event.type === 'tool_call') outputBytes += byteLength(event.name)
        else if (event.type === 'tool_arguments') outputBytes += byteLength(event.fragment)
        else if (event.type === 'thinking') outputBytes += thinkingBytes(event.piece)
        else if (event.type === 'usage') usage = laterUsage(usage, event.usage)
        else if (event.type === 'start' || event.type === 'model') servedModel = readServedModel(event.model)
        else if (event.type === 'looked_up') ({ lookedUp } = event)
        else if (event.type === 'finish') finishReason ??= event.reason
      }
    },
    produced: () => ({ usage, outputBytes, finishReason, lookedUp, servedModel }),
  }
}
