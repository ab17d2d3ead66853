// How many calls end in each way, as one bar.
import { END_NAMES, type EndCounts } from './simulated-calls.ts'

export function OutcomeSplit({ counts }: { counts: EndCounts }) {
  const before = (at: number): number => END_NAMES.slice(0, at).reduce((sum, end) => sum + counts[end], 0)
  return (
    <svg
      class="split"
      viewBox={`0 0 ${Math.max(1, before(END_NAMES.length))} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {END_NAMES.map((end, at) => (
        <rect key={end} class={`mark-${at + 1}`} x={before(at)} y={0} width={counts[end]} height={1} />
      ))}
    </svg>
  )
}
