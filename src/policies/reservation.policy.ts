// How much a model may write for one request, and what is reserved in the budget for it. Pure; amounts are whole micro-euro.

/** What a request asks of its model's output. */
export type OutputAsked = {
  /** The caller's own limit for each choice; null where it set none. */
  tokens: number | null
  /** What the model can write at most for each choice. */
  most: number
  choices: number
  /** Of a million tokens, rounded up. */
  microeurPerMillion: number
}

/** `maxTokens` (for each choice) must be sent to the provider, or the call could cost more than was reserved. */
export type OutputAllowed = { maxTokens: number; microeur: number }

const PER_MILLION = 1_000_000n

/** Throws RangeError where a number is not whole, or below none. */
export function decideOutput(asked: OutputAsked, defaultMaxTokens: number): OutputAllowed {
  const maxTokens = Math.min(asked.tokens ?? defaultMaxTokens, asked.most)
  const cost = BigInt(maxTokens) * BigInt(asked.choices) * BigInt(asked.microeurPerMillion)
  if (cost < 0n) throw new RangeError('not a whole number of micro-euro')
  return { maxTokens, microeur: Number((cost + PER_MILLION - 1n) / PER_MILLION) }
}
