// Round numbers for the axis of a chart. Pure.

/** From nothing up to the first mark that no value is above. */
export function axisMarks(most: number, isWhole: boolean): number[] {
  if (most <= 0) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / MARKS))
  const rounded = STEPS.map((step) => step * power).find((step) => step * MARKS >= most) ?? 10 * power
  const step = isWhole ? Math.max(1, Math.ceil(rounded)) : rounded
  const marks = [0]
  // Multiplied, not added up, so that no rounding grows.
  for (let index = 1; (marks.at(-1) ?? 0) < most; index++) marks.push(Number((index * step).toPrecision(12)))
  return marks
}

const MARKS = 5
const STEPS = [1, 2, 2.5, 5, 10]
