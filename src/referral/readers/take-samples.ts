// Asks one reader for its samples, several per request if its model can return them. A failed request gives only samples without a
// choice. Also computes the most that samples can cost.
import type { Answer } from '../../providers/chat-answer.ts'
import type { Prices } from '../../providers/catalogue.schema.ts'
import { pricesAt, type Model } from '../../providers/model-catalogue.ts'
import { complete, type Completion, type ProviderAccess, type RefusedAccess } from '../../providers/provider-client.ts'
import { costPicousd } from '../../providers/call-cost.ts'
import { estimateInputTokens, estimateUsage, mostOutputTokens, mostUsage } from '../../providers/estimate-tokens.ts'
import type { Runtime } from '../../providers/http-exchange.ts'
import type { Failure } from '../../providers/failure.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import { readerRequest, type ReaderPrompt, parseReaderAnswer } from './reader-prompt.ts'
import { isAnotherModel, readServedModel } from '../../providers/served-model.ts'
import type { FailedReason, Sample } from './tally-samples.policy.ts'
import type { ReadingDeadline } from './reading-limits.ts'

export type Reader = { readonly model: Model; readonly provider: ProviderAccess }

export type RequestSamples = {
  samples: readonly Sample[]
  picousd: bigint
  /** True if the cost is an estimate: the provider reported none, or may have billed a failure. */
  estimated: boolean
  /** The model that the provider named; null if it named none, or not in plain characters. */
  servedModel: string | null
  /** Set if the provider rejected this deployment's key, account or model name. */
  refusedAccess: RefusedAccess | null
}

export type SamplingContext = {
  prompt: ReaderPrompt
  /** The time whose prices apply, in Unix milliseconds. */
  at: number
  /** The specialties that are published. A sample that names another one is invalid. */
  published: ReadonlySet<string>
  deadline: ReadingDeadline
  runtime: Runtime
}

/**
 * Returns the samples of each request: `[5]` if the model returns five from one prompt, else `[1, 1, 1]` first and `[1, 1]` later.
 * The first requests have a majority of all samples.
 */
export function planRequests(samples: number, model: Model): { first: number[]; rest: number[] } {
  const most = Math.min(samples, model.capabilities.maxChoices)
  const requests = Array.from({ length: Math.ceil(samples / most) }, (_, at) => Math.min(most, samples - at * most))
  const firstRequests = Math.ceil((Math.floor(samples / 2) + 1) / most)
  return { first: requests.slice(0, firstRequests), rest: requests.slice(firstRequests) }
}

/** Returns the most that a reader's samples can cost, in pico-dollars. @param at the time whose prices apply */
export function mostSamplesPicousd(prompt: ReaderPrompt, model: Model, samples: number, at: number): bigint {
  const prices = pricesAt(model, at)
  const { first, rest } = planRequests(samples, model)
  return [...first, ...rest].reduce((sum, count) => {
    const request = readerRequest(prompt, model, count)
    return sum + costPicousd(mostUsage(request, model, prices), prices)
  }, 0n)
}

/** Sends one request for `count` samples. Never rejects, and ends at the latest with the reading's deadline. */
export async function takeSamples(reader: Reader, count: number, context: SamplingContext): Promise<RequestSamples> {
  const { deadline, runtime, prompt } = context
  const request = readerRequest(prompt, reader.model, count)
  const priced = { model: reader.model, prices: pricesAt(reader.model, context.at) }
  const { limitMs, signal } = deadline
  const deadlines = { headersMs: limitMs, silenceMs: limitMs, totalMs: limitMs }
  const call = complete({ ...reader, request, signal, deadlines, runtime })
  const completion = await Promise.race([call, deadline.passed])
  const ms = deadline.elapsedMs()
  if (completion === 'passed') return failedRequest(priced, request, { count, ms, reason: 'timeout', billed: 'maybe' })
  if (!completion.ok) {
    const { failure } = completion
    const noSamples = failedRequest(priced, request, { count, ms, reason: reasonOf(failure), billed: failure.billed })
    return { ...noSamples, refusedAccess: refusedAccessOf(failure) }
  }
  const { answer } = completion
  // The readers were measured with their own models, so a sample of another model says nothing.
  const choices = isAnotherModel(reader.model.wire.model, answer.model) ? [] : answer.choices.slice(0, count)
  const samples = choices.map((choice) => toSample(choice, context.published, ms))
  const missing = Array.from({ length: count - samples.length }, () => lostSample('invalid_answer', ms))
  return {
    samples: [...samples, ...missing],
    servedModel: readServedModel(answer.model),
    refusedAccess: null,
    ...costOf(answer, request, priced),
  }
}

type PricedModel = { model: Model; prices: Prices }

const refusedAccessOf = (failure: Failure): RefusedAccess | null =>
  failure.kind !== 'unsupported' && failure.cause === 'access' ? failure : null

/** Returns only lost samples. Charges the maximum cost if the provider may have billed the failure. */
function failedRequest(
  { model, prices }: PricedModel,
  request: ChatRequest,
  { count, ms, reason, billed }: { count: number; ms: number; reason: FailedReason; billed: Failure['billed'] },
): RequestSamples {
  const free = billed === 'no'
  return {
    samples: Array.from({ length: count }, () => lostSample(reason, ms)),
    picousd: free ? 0n : costPicousd(mostUsage(request, model, prices), prices),
    estimated: !free,
    servedModel: null,
    refusedAccess: null,
  }
}

/** Reads one choice of the model. A choice that cannot be read becomes a lost sample. */
function toSample(choice: Answer['choices'][number], published: ReadonlySet<string>, ms: number): Sample {
  const read = parseReaderAnswer(choice, published)
  return read === null ? lostSample('invalid_answer', ms) : { choice: read, ms }
}

const lostSample = (failure: FailedReason, ms: number): Sample => ({ failed: failure, ms })

function costOf(
  answer: Answer,
  request: ChatRequest,
  { model, prices }: PricedModel,
): Pick<RequestSamples, 'picousd' | 'estimated'> {
  const written = new TextEncoder().encode(answer.choices.map(({ text }) => text).join(''))
  const reportedUsage = answer.usage?.unread === undefined ? answer.usage : null
  const usage =
    reportedUsage ??
    estimateUsage(estimateInputTokens(request, model), written.byteLength, mostOutputTokens(request, model))
  return { picousd: costPicousd(usage, prices), estimated: reportedUsage === null }
}

function reasonOf(failure: Extract<Completion, { ok: false }>['failure']): FailedReason {
  switch (failure.kind) {
    case 'timeout':
    // Only the time limit cancels a reading.
    case 'cancelled':
      return 'timeout'
    case 'invalid_answer':
      return 'invalid_answer'
    case 'provider_error':
    case 'unsupported':
      return 'provider_error'
  }
}
