// A row of small bars, one a day, beside their sum in figures.
const BAR = { step: 3, width: 2, height: 24 }
const DAYS = 30

/** Counts by day, each row on its own scale. Without counts the bars are as low as for none. */
export function DayBars({ counts }: { counts: readonly number[] }) {
  const days = counts.length === 0 ? Array.from({ length: DAYS }, () => 0) : counts
  const most = Math.max(1, ...days)
  const path = days.map((count, at) => {
    const height = Math.max(1, Math.round((count / most) * BAR.height))
    return `M${at * BAR.step} ${BAR.height - height}h${BAR.width}v${height}h-${BAR.width}z`
  })
  return (
    <svg class="day-bars" viewBox={`0 0 ${days.length * BAR.step} ${BAR.height}`} aria-hidden="true">
      <path d={path.join('')} />
    </svg>
  )
}
