// The frame of a chart: title, a summary in a sentence, the same values in a table, and the patterns that fill marks on paper.
import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Table, type Column } from '../parts/table.view.tsx'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { MARK_STYLES, NEUTRAL_STYLES, OUTCOME_STYLES, type MarkStyle } from './chart-marks.ts'

export type FigureHead = {
  title: string
  /** A sentence that says what the chart shows, for people who do not see it. */
  summary: string
  /** Drawn beside the title, such as a link to all calls. */
  action?: ComponentChildren
  /** Drawn instead of the title, which is then only read. */
  head?: ComponentChildren
  /** Drawn below the chart, from edge to edge. */
  below?: ComponentChildren
}

type Props<Row> = FigureHead & {
  /** True if everybody sees the summary. */
  isSummaryShown?: boolean
  /** What opens the table. */
  tableName?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  children: ComponentChildren
}

const PatternsIdContext = createContext('')

/** Returns a function that gives a mark's pattern, of the chart around it. A screen fills it with its colour alone (charts.css). */
export function useFill(): (style: MarkStyle) => string {
  const id = useContext(PatternsIdContext)
  return (style) => `url(#${id}-${style})`
}

export function ChartFigure<Row>(props: Props<Row>) {
  const { title, summary, action, head, below, isSummaryShown = false, columns, rows, keyOf, children } = props
  const { tableName = 'The same figures as a table' } = props
  const id = useUniqueId()
  return (
    <PatternsIdContext.Provider value={id}>
      <figure class="chart card parts">
        <figcaption class="head row between">
          <h2 class={head === undefined ? undefined : 'only-read'}>{title}</h2>
          {head}
          {action}
          <p class={isSummaryShown ? 'soft' : 'only-read'}>{summary}</p>
          <PatternShapes id={id} />
        </figcaption>
        <div class="body stack-s">{children}</div>
        {below}
        <details class="foot-line">
          <summary>{tableName}</summary>
          <Table isGrid caption={title} isCaptionHidden columns={columns} rows={rows} keyOf={keyOf} />
        </details>
      </figure>
    </PatternsIdContext.Provider>
  )
}

const TILE = 6

/** 1 to 6: neutral marks have the patterns of outcomes, since a chart has either. */
const patternOf = (style: MarkStyle): number =>
  1 + Math.max(...[OUTCOME_STYLES, NEUTRAL_STYLES].map((styles) => styles.findIndex((one) => one === style)))

/** The patterns: solid, stripes, dots, lines, crosses and squares. They differ without colour, on a two-colour screen and on paper. */
function PatternShapes({ id }: { id: string }) {
  return (
    <svg class="only-read" width="0" height="0" aria-hidden="true">
      <defs>
        {MARK_STYLES.map((style) => [style, patternOf(style)] as const).map(([style, pattern]) => (
          <pattern
            key={style}
            id={`${id}-${style}`}
            class={`mark-${style}`}
            width={TILE}
            height={TILE}
            patternUnits="userSpaceOnUse"
            {...(pattern === 2 && { patternTransform: 'rotate(45)' })}
          >
            <rect class={pattern === 1 ? 'drawn' : 'ground'} width={TILE} height={TILE} />
            {pattern === 2 && <rect class="drawn" width={TILE / 2} height={TILE} />}
            {pattern === 3 && <circle class="drawn" cx={TILE / 2} cy={TILE / 2} r="1.6" />}
            {pattern === 4 && <rect class="drawn" width={TILE} height={TILE / 3} />}
            {pattern === 5 && <path class="drawn" d="M2 0h2v2h2v2h-2v2h-2v-2h-2v-2h2z" />}
            {pattern === 6 && <path class="drawn" d="M0 0h3v3h-3zM3 3h3v3h-3z" />}
          </pattern>
        ))}
      </defs>
    </svg>
  )
}
