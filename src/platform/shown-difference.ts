// Subtracts figures as they are shown, so that a change adds up with the two figures beside it.

type Format = (value: number) => string

/** Rounds both values as their format shows them, then subtracts. 0 if both look the same. */
export function shownDifference(now: number, before: number, format: Format): number {
  if (format(now) === format(before)) return 0
  return Math.round((readShown(now, format) - readShown(before, format)) * 1e6) / 1e6
}

/** Reads “€1,234.50”, “4.5%” or “1.2 s” back, the latter in milliseconds. A bound such as “< €0.01” says no value. */
export function readShown(value: number, format: Format): number {
  const text = format(value)
  if (/^[<>]/.test(text)) return value
  const scale = text.endsWith('%') ? 0.01 : /\ss$/.test(text) ? 1000 : 1
  return Number(text.replaceAll(/[^\d.-]/g, '')) * scale
}

type Rates = readonly { group: string; rate: number | null }[]
type Compared = { group: string; reference: string; difference: number | null }

/** Returns the difference of the shown rates of a group and its reference. Null if they are not compared. */
export function shownRateDifference(groups: Rates, { group, reference, difference }: Compared, format: Format) {
  const [rate, other] = [group, reference].map((name) => groups.find((one) => one.group === name)?.rate)
  return difference === null || rate == null || other == null ? difference : shownDifference(rate, other, format)
}
