// Computes the cost of a call in integers: tokens × micro-dollars per million tokens are pico-dollars. Only the last step, into
// euro, rounds: a cost half up to the micro-euro, a price of output tokens upwards. Also reads the euro rate.
import { ConfigError } from '../platform/config.ts'
import { inputTokens, type Usage } from './chat-answer.ts'
import type { Prices } from './catalogue.schema.ts'

/** Euro per dollar as an exact fraction. */
export type EurRate = { readonly numerator: bigint; readonly denominator: bigint }

const PICO_PER_MICRO = 1_000_000n

/** Reads a decimal such as "0.8612"; returns null if it is not one, or not above zero. */
export function parseEurRate(text: string): EurRate | null {
  const match = /^(\d{1,3})(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) return null
  const fraction = match[2] ?? ''
  const numerator = BigInt((match[1] ?? '') + fraction)
  return numerator === 0n ? null : { numerator, denominator: 10n ** BigInt(fraction.length) }
}

/** Reads the setting EUR_PER_USD. Throws ConfigError if it is not a rate. */
export function readEurRate(text: string): EurRate {
  const rate = parseEurRate(text)
  if (rate === null) throw new ConfigError(['EUR_PER_USD'])
  return rate
}

/** Returns pico-dollars. Reasoning tokens are output; above the long-context mark the whole request costs more. */
export function costPicousd(usage: Usage, prices: Prices): bigint {
  const each = pricesFor(usage, prices)
  return (
    times(usage.inputUncached, each.input) +
    times(usage.cacheRead, each.cachedInput) +
    times(usage.cacheWrite, each.cacheWrite) +
    times(usage.cacheWriteHour, each.cacheWriteHour) +
    times(usage.outputVisible + usage.reasoning, each.output) +
    BigInt(usage.feesMicrousd) * PICO_PER_MICRO
  )
}

/** Returns micro-euro, rounded half up. Exact as a number up to 2^53 micro-euro, nine thousand million euro. */
export function picousdToMicroeur(picousd: bigint, rate: EurRate): number {
  const divisor = PICO_PER_MICRO * rate.denominator
  return Number((2n * picousd * rate.numerator + divisor) / (2n * divisor))
}

/** Returns micro-euro; divide by a million for `cost_eur`, which then has at most 6 decimals. */
export const costMicroeur = (usage: Usage, prices: Prices, rate: EurRate): number =>
  picousdToMicroeur(costPicousd(usage, prices), rate)

/** Returns the cost of a million output tokens for a call with this much input: whole micro-euro, rounded up. */
export function outputMicroeurPerMillion(input: Usage, prices: Prices, rate: EurRate): number {
  const { numerator, denominator } = rate
  return Number((BigInt(pricesFor(input, prices).output) * numerator + denominator - 1n) / denominator)
}

/** Returns a price of a million tokens in euro. @param microusd per million tokens */
export const eurPerMillion = (microusd: number, rate: EurRate): number =>
  picousdToMicroeur(times(Number(PICO_PER_MICRO), microusd), rate) / 1e6

/** Returns the prices of each kind of token. Above the long-context mark they are higher. */
function pricesFor(usage: Usage, { longContext, usdPerMillion }: Prices): Prices['usdPerMillion'] {
  const isLong = longContext !== null && inputTokens(usage) > longContext.aboveInputTokens
  return isLong ? longContext.usdPerMillion : usdPerMillion
}

const times = (tokens: number, microusdPerMillion: number): bigint => BigInt(tokens) * BigInt(microusdPerMillion)
