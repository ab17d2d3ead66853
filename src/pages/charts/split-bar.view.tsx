// Shares of a whole as one bar, one or several below each other, and what each colour of it means.
import { formatNumber } from '../text/format.ts'
import { Facts } from '../parts/page-blocks.view.tsx'

/** @param counts in the order of the marks' colours */
export function SplitBar({ counts }: { counts: readonly number[] }) {
  const before = (at: number): number => counts.slice(0, at).reduce((sum, count) => sum + count, 0)
  return (
    <svg
      class="split"
      viewBox={`0 0 ${Math.max(1, before(counts.length))} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, at) => (
        // The bar has a place for each, and no name.
        // oxlint-disable-next-line react/no-array-index-key
        <rect key={at} class={`mark-${at + 1}`} fill="currentcolor" x={before(at)} y={0} width={count} height={1} />
      ))}
    </svg>
  )
}

type Named = readonly [name: string, count: number]

export const SplitLegend = ({ of }: { of: readonly Named[] }) => (
  <ul class="legend row soft small">
    {of.map(([name, count], at) => (
      <li key={name} class="row" data-gap="2">
        <svg width="12" height="12" aria-hidden="true">
          <rect class={`mark-${at + 1}`} fill="currentcolor" width="12" height="12" rx="2" />
        </svg>
        {name} <b>{formatNumber(count)}</b>
      </li>
    ))}
  </ul>
)

type ComparedProps = { of: readonly (readonly [name: string, counts: readonly number[], words: string])[] }

/** Bars below each other, each beside its name and above its figures. */
export const ComparedBars = ({ of }: ComparedProps) => (
  <Facts
    facts={of.map(([name, counts, words]) => [
      name,
      <>
        <SplitBar counts={counts} />
        <div>{words}</div>
      </>,
    ])}
  />
)
