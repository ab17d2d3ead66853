// Computes the cost of a call in integers: tokens × micro-dollars per million tokens are pico-dollars. Only the last step, into
// euro, rounds: a cost half up to the micro-euro, a price of output tokens upwards. Also reads the euro rate.
import { inputTokens, type Usage } from './chat-answer.ts'
import type { Model } from './model-catalogue.ts'

/** Euro per dollar as an exact fraction. */
export type EurRate = { readonly numerator: bigint; readonly denominator: bigint }

type PricedModel = Pick<Model, 'usdPerMillion' | 'longContext'>

const PICO_PER_MICRO = 1_000_000n

/** Reads a decimal such as "0.8612"; returns null if it is not one, or not above zero. */
export function parseEurRate(text: string): EurRate | null {
  const match = /^(\d{1,3})(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) return null
  const fraction = match[2] ?? ''
  const numerator = BigInt((match[1] ?? '') + fraction)
  return numerator === 0n ? null : { numerator, denominator: 10n ** BigInt(fraction.length) }
}

/** Returns pico-dollars. Reasoning tokens are output; above the long-context mark the whole request costs more. */
export function costPicousd(usage: Usage, model: PricedModel): bigint {
  const prices = pricesOf(usage, model)
  return (
    times(usage.inputUncached, prices.input) +
    times(usage.cacheRead, prices.cachedInput) +
    times(usage.cacheWrite, prices.cacheWrite) +
    times(usage.cacheWriteHour, prices.cacheWriteHour) +
    times(usage.outputVisible + usage.reasoning, prices.output) +
    BigInt(usage.feesMicrousd) * PICO_PER_MICRO
  )
}

/** Returns micro-euro, rounded half up. Exact as a number up to 2^53 micro-euro, nine thousand million euro. */
export function toMicroeur(picousd: bigint, rate: EurRate): number {
  const divisor = PICO_PER_MICRO * rate.denominator
  return Number((2n * picousd * rate.numerator + divisor) / (2n * divisor))
}

/** Returns micro-euro; divide by a million for `cost_eur`, which then has at most 6 decimals. */
export function costMicroeur(usage: Usage, model: PricedModel, rate: EurRate): number {
  return toMicroeur(costPicousd(usage, model), rate)
}

/** Returns the cost of a million output tokens for a call with this much input: whole micro-euro, rounded up. */
export function outputMicroeurPerMillion(input: Usage, model: PricedModel, rate: EurRate): number {
  const { numerator, denominator } = rate
  return Number((BigInt(pricesOf(input, model).output) * numerator + denominator - 1n) / denominator)
}

function pricesOf(usage: Usage, { longContext, usdPerMillion }: PricedModel) {
  const isLong = longContext !== null && inputTokens(usage) > longContext.aboveInputTokens
  return isLong ? longContext.usdPerMillion : usdPerMillion
}

function times(tokens: number, microusdPerMillion: number): bigint {
  return BigInt(tokens) * BigInt(microusdPerMillion)
}
