// The data types of all charts: marks (series) with a colour and a pattern, and points with a name and values. Also sums of points
// and their values in words.

/**
 * The styles of marks. Each has its own colour (style/legend.css). The colours of the first list mean an outcome; those of the other
 * mean nothing. The styles of each list have patterns of their own.
 */
export const OUTCOME_STYLES = [1, 2, 3, 4, 5, 11] as const
export const NEUTRAL_STYLES = [6, 7, 8, 9, 10] as const
export const MARK_STYLES = [...OUTCOME_STYLES, ...NEUTRAL_STYLES] as const
export type MarkStyle = (typeof MARK_STYLES)[number]

export type Mark = { name: string; style: MarkStyle }

export type Point = {
  /** The name in the table and in the legend: “21 Nov 2026”. */
  name: string
  /** The name below the axis, where there is less room: “21 Nov”. */
  short?: string
  /** Says that the point has not ended yet: “Today, so far”. Only the last point can have it. */
  soFar?: string
  /** The values in the order of the marks. Only line charts can have null, for no value. */
  values: readonly (number | null)[]
}

/** The period before, as a dashed line: a value for each point. */
export type Before = { name: string; values: readonly (number | null)[] }

export const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

export const sumOfPoint = ({ values }: Point): number => sumOf(values)

export const sumOfBefore = ({ values }: Before): number => sumOf(values)

/** Returns a point that has the sums of all points. */
export const totalOf = (points: readonly Point[], marks: readonly Mark[]): Point => ({
  name: 'In all',
  values: marks.map((_, at) => sumOf(points.map(({ values }) => values[at] ?? null))),
})

/** Returns the values of a point in words, for screen readers: “Passed: 30, Blocked: 2”. */
export const valuesText = (point: Point, marks: readonly Mark[], format: (value: number) => string): string =>
  marks
    .map(({ name }, at) => {
      const value = point.values[at] ?? null
      return `${name}: ${value === null ? 'none' : format(value)}`
    })
    .join(', ')
