// The normal distribution, as far as intervals and tests need it.

/** A normal variable lies within so many standard deviations in 95 of 100 cases. */
export const Z_95 = 1.959963984540054

/** Below it the power series converges in few terms and loses no digits; above it the continued fraction does. */
const SERIES_BELOW = 2.5
const FRACTION_TERMS = 120

/** The complementary error function. @param x not negative */
export function erfc(x: number): number {
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI)
  if (x < SERIES_BELOW) {
    let [term, sum] = [x, x]
    for (let n = 1; term > sum * Number.EPSILON; n += 1) {
      term *= (2 * x * x) / (2 * n + 1)
      sum += term
    }
    return 1 - 2 * density * sum
  }
  let fraction = x
  for (let n = FRACTION_TERMS; n >= 1; n -= 1) fraction = x + n / 2 / fraction
  return density / fraction
}

/** How probable it is that a normal variable lies at least as far out as `z`, on either side. */
export const twoSidedP = (z: number): number => erfc(Math.abs(z) / Math.SQRT2)
