// Tail probabilities of the normal distribution and of Student's t, and the quantile of a 95% interval.

/** The power series converges in few terms below this value and loses no digits. The continued fraction does so above. */
const SERIES_BELOW = 2.5
const FRACTION_TERMS = 120

/** Returns the complementary error function. @param x not negative */
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

/** A normal variable lies within this many standard deviations in 95 of 100 cases. */
export const Z_95 = 1.959963984540054

/**
 * Returns the probability that Student's t is at least as far out as `t`, on either side.
 * @param freedom at least 1; infinite for a normal variable
 */
export function twoSidedP(t: number, freedom: number): number {
  if (freedom === Infinity) return erfc(Math.abs(t) / Math.SQRT2)
  return betaShare(freedom / 2, 0.5, freedom / (freedom + t * t))
}

const MOST_STEPS = 100
const STEP_ERROR = 1e-13
const CENTRAL_SHARE = 0.95

/** Returns the value that Student's t exceeds on either side in 5 of 100 cases. */
export function quantile95(freedom: number): number {
  if (freedom === Infinity) return Z_95
  // Newton's method approaches from below, because the probability is convex.
  let t = Z_95
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const next = t + (twoSidedP(t, freedom) - (1 - CENTRAL_SHARE)) / (2 * densityOf(t, freedom))
    if (Math.abs(next - t) < STEP_ERROR * t) return next
    t = next
  }
  return t
}

const densityOf = (t: number, freedom: number): number =>
  Math.exp(
    logGamma((freedom + 1) / 2) -
      logGamma(freedom / 2) -
      Math.log(freedom * Math.PI) / 2 -
      ((freedom + 1) / 2) * Math.log1p((t * t) / freedom),
  )

/** Returns the regularised incomplete beta function, by its continued fraction. */
function betaShare(a: number, b: number, x: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b
}

const MOST_TERMS = 1000

/** Evaluates the fraction by Lentz's method. */
function betaFraction(a: number, b: number, x: number): number {
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))]
  let fraction = d
  for (let m = 1; m < MOST_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a - 1 + 2 * m) * (a + 2 * m))
    d = 1 / (1 + even * d)
    c = 1 + even / c
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 1 + 2 * m))
    d = 1 / (1 + odd * d)
    c = 1 + odd / c
    fraction *= c * d
    if (Math.abs(c * d - 1) < Number.EPSILON) return fraction
  }
  return fraction
}

/** Lanczos' coefficients for g = 7. */
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/** @param x at least 0.5 */
function logGamma(x: number): number {
  const t = x + 6.5
  const sum = LANCZOS.reduce((total, coefficient, index) => total + coefficient / (x + index), 0.9999999999998099)
  return Math.log(Math.sqrt(2 * Math.PI)) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}
