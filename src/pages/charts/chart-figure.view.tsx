// The frame of every chart: title, a summary in a sentence, legend, the same values in a table, and the patterns that fill marks.
import { createContext, type ComponentChildren, type ComponentType } from 'preact'
import { useContext } from 'preact/hooks'
import { Table, type Column } from '../parts/table.view.tsx'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { MARK_STYLES, type Mark, type MarkStyle } from './chart-marks.ts'

type Props<Row> = {
  title: string
  /** A sentence that says what the chart shows, for people who do not see it. */
  summary: string
  /** The marks, each with its value at the selected point. */
  legend: readonly (Mark & { value: string })[]
  /** Draws a sample of a mark, 16 by 16 pixels. */
  sample: ComponentType<{ style: MarkStyle }>
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  children: ComponentChildren
}

const PatternsIdContext = createContext('')

/** Returns a function that gives a mark's fill, from the patterns of the chart around it. */
export function useFill(): (style: MarkStyle) => string {
  const id = useContext(PatternsIdContext)
  return (style) => `url(#${id}-${style})`
}

export function ChartFigure<Row>({
  title,
  summary,
  legend,
  sample: Sample,
  columns,
  rows,
  keyOf,
  children,
}: Props<Row>) {
  const id = useUniqueId()
  return (
    <PatternsIdContext.Provider value={id}>
      <figure class="chart card stack">
        <figcaption>
          <h2>{title}</h2>
          <p class="soft">{summary}</p>
          <PatternShapes id={id} />
        </figcaption>
        {children}
        {legend.length > 0 && (
          <ul class="legend">
            {legend.map(({ name, style, value }) => (
              <li key={name}>
                <svg width="16" height="16" aria-hidden="true">
                  <Sample style={style} />
                </svg>
                {name} <b>{value}</b>
              </li>
            ))}
          </ul>
        )}
        <details>
          <summary>The same figures as a table</summary>
          <Table isGrid caption={title} isCaptionHidden columns={columns} rows={rows} keyOf={keyOf} />
        </details>
      </figure>
    </PatternsIdContext.Provider>
  )
}

const TILE = 6

/** The patterns: solid, stripes, dots, lines and crosses. They differ without colour, on a two-colour screen and on paper. */
function PatternShapes({ id }: { id: string }) {
  return (
    <svg class="only-read" width="0" height="0" aria-hidden="true">
      <defs>
        {MARK_STYLES.map((style) => (
          <pattern
            key={style}
            id={`${id}-${style}`}
            class={`pattern-${style}`}
            width={TILE}
            height={TILE}
            patternUnits="userSpaceOnUse"
            {...(style === 2 && { patternTransform: 'rotate(45)' })}
          >
            <rect class="ground" width={TILE} height={TILE} />
            {style === 2 && <rect class="drawn" width={TILE / 2} height={TILE} />}
            {style === 3 && <circle class="drawn" cx={TILE / 2} cy={TILE / 2} r="1.6" />}
            {style === 4 && <rect class="drawn" width={TILE} height={TILE / 3} />}
            {style === 5 && <path class="drawn" d="M2 0h2v2h2v2h-2v2h-2v-2h-2v-2h2z" />}
          </pattern>
        ))}
      </defs>
    </svg>
  )
}
