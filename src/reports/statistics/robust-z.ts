// How far a value lies from the usual ones, by median and median absolute deviation of the logarithms: one odd day among the usual
// ones moves neither.

/** From the median absolute deviation to the standard deviation of a normal variable. */
const TO_DEVIATIONS = 0.6744897501960817

/** The width of a latency bucket: values that are nearer to each other cannot be told apart. */
const LEAST_DEVIATION = Math.log(17 / 16)

/** From here on a value is called unusual. */
export const UNUSUAL_Z = 3.5

/** @param usual at least one; all values above 0 */
export function robustZ(value: number, usual: readonly number[]): number {
  const logs = usual.map(Math.log)
  const centre = medianOf(logs)
  const deviation = medianOf(logs.map((one) => Math.abs(one - centre)))
  return (TO_DEVIATIONS * (Math.log(value) - centre)) / Math.max(deviation, LEAST_DEVIATION)
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] = sorted.slice(sorted.length % 2 === 0 ? middle - 1 : middle, middle + 1)
  return (low + high) / 2
}
