// The parts of a chart: marks with a pattern as well as a colour, and points with a name.

/** A way to draw a series, each with a colour and a pattern of its own (style/charts.css). */
export const STYLES = [1, 2, 3, 4] as const
export type MarkStyle = (typeof STYLES)[number]

export type Mark = { name: string; style: MarkStyle }

export type Point = {
  /** As the table and the line above the chart have it: “21 Nov 2026”. */
  name: string
  /** Below the axis, where there is less room: “21 Nov”. */
  short?: string
  /** One for each mark, in their order. Null where there is none, in charts of lines alone. */
  values: readonly (number | null)[]
}

export const sumOf = ({ values }: Point): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** The values of a point as somebody hears them: “30 answered, 2 blocked”. */
export const valuesText = (point: Point, marks: readonly Mark[], format: (value: number) => string): string =>
  marks
    .map(({ name }, at) => {
      const value = point.values[at] ?? null
      return `${name}: ${value === null ? 'none' : format(value)}`
    })
    .join(', ')
