// The patterns that fill the marks of a chart on paper. A screen fills a mark with its colour alone (charts.css).
import { MARK_STYLES, NEUTRAL_STYLES, OUTCOME_STYLES, type MarkStyle } from './chart-marks.ts'

const TILE = 6

/** 1 to 6: neutral marks have the patterns of outcomes, since a chart has either. */
const patternOf = (style: MarkStyle): number =>
  1 + Math.max(...[OUTCOME_STYLES, NEUTRAL_STYLES].map((styles) => styles.findIndex((one) => one === style)))

/** The patterns: solid, stripes, dots, lines, crosses and squares. They differ without colour, on a two-colour screen and on paper. */
export const PatternShapes = ({ id }: { id: string }) => (
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
