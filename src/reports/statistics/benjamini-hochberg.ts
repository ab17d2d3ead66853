// Benjamini and Hochberg's adjustment: of the comparisons of a family that are called different at an adjusted p below q, a share of q
// at most is expected to be called so wrongly.

/** In the order of `values`. */
export function adjustPValues(values: readonly number[]): number[] {
  const adjusted = Array.from<number>({ length: values.length })
  const falling = values.map((p, index) => ({ p, index })).toSorted((one, other) => other.p - one.p)
  let least = 1
  for (const [place, { p, index }] of falling.entries()) {
    least = Math.min(least, (p * values.length) / (values.length - place))
    adjusted[index] = least
  }
  return adjusted
}
