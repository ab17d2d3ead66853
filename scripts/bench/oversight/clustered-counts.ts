// Invented counts of calls that come in clusters: beta-binomial, so that they vary so many times more than independent ones do.
import type { Proportion } from '../../../src/reports/statistics/proportions.ts'

export type Random = () => number

/** How many of `n` calls have the outcome, where each has it with probability `rate`. */
export function drawCount(random: Random, n: number, rate: number, dispersion: number): Proportion {
  const clustered = dispersion <= 1 || n < 2 ? rate : drawRate(random, rate, (dispersion - 1) / (n - 1))
  let k = 0
  for (let call = 0; call < n; call += 1) if (random() < clustered) k += 1
  return { k, n }
}

/** The dispersion of a beta-binomial is 1 + (n − 1)·ρ, where α + β = 1/ρ − 1. */
function drawRate(random: Random, mean: number, correlation: number): number {
  const total = 1 / correlation - 1
  const [one, other] = [drawGamma(random, mean * total), drawGamma(random, (1 - mean) * total)]
  return one + other === 0 ? 0 : one / (one + other)
}

/** Marsaglia and Tsang's method (2000), with their step for shapes below 1. */
function drawGamma(random: Random, shape: number): number {
  if (shape < 1) return drawGamma(random, shape + 1) * (1 - random()) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = drawNormal(random)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

const drawNormal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
