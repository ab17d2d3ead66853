// The five figures of analytics, each with its change against as many days before.
import { countIn } from '../../../evidence/records/call-endings.ts'
import { Delta, Tile, Tiles } from '../../parts/tile.view.tsx'
import { formatEuro, formatMilliseconds, formatNumber, formatPercent, formatShortEuro } from '../../text/format.ts'
import { callsPath } from './calls-path.ts'
import { textOf, timeOf, type Figure } from './chart-data.ts'
import type { AnalyticsCounts, PeriodCounts } from './load-analytics.ts'

const share = (part: number, of: number): number | null => (of === 0 ? null : part / of)

/** Returns the five figures of a period. One that nothing was counted for is null. */
function figuresOf({ requests: { totals }, costs }: PeriodCounts) {
  return {
    calls: { value: totals.requests, format: formatNumber },
    cost: { value: costs.totals.cost_eur, format: formatEuro },
    each: { value: share(costs.totals.cost_eur, countIn(totals, 'passed')), format: formatShortEuro },
    median: timeOf(totals.response_ms, totals.response_ms?.p50 === null ? 'mean' : 'p50'),
    failed: { value: share(countIn(totals, 'failed'), totals.requests), format: formatPercent },
  } satisfies Record<string, Figure>
}

export function FigureTiles({ counts }: { counts: AnalyticsCounts }) {
  const { query, previous, requests } = counts
  const now = figuresOf(counts)
  const before = previous === null ? null : figuresOf(previous)
  const hasMedian = requests.totals.response_ms?.p50 !== null
  const tile = (name: string, of: keyof typeof now, href: string | null, by?: (difference: number) => string) => (
    <Tile key={of} name={name} value={textOf(now[of])} href={href}>
      {before !== null && <Change now={now[of]} before={before[of]} by={by} />}
    </Tile>
  )
  return (
    <Tiles label="Sums">
      {tile('Calls', 'calls', callsPath(query))}
      {tile('Cost', 'cost', null)}
      {tile('Cost of a passed call', 'each', null)}
      {tile(
        hasMedian ? 'Median time' : 'Mean time',
        'median',
        now.median.value === null ? null : '#times',
        hasMedian ? (ms) => `about ${formatMilliseconds(ms)}` : formatMilliseconds,
      )}
      {tile('Failed', 'failed', callsPath(query, { outcome: 'failed' }), pointsText)}
    </Tiles>
  )
}

const pointsText = (difference: number): string => `${formatNumber(Math.round(difference * 1000) / 10)} points`

type ChangeProps = { now: Figure; before: Figure; by: ((difference: number) => string) | undefined }

function Change({ now, before, by }: ChangeProps) {
  if (before.value === null) return now.value === null ? null : <>None before</>
  if (now.value === null) return <>{textOf(before)} before</>
  if (now.isSame?.(now.value, before.value) === true) return <>About the same</>
  // So little was before that a percentage says nothing: then the difference itself is said.
  const isBeyondPercent = Math.abs(now.value - before.value) > 3 * before.value
  const words = by ?? (isBeyondPercent ? now.format : undefined)
  return <Delta now={now.value} before={before.value} format={now.format} from={textOf(before)} by={words} />
}
