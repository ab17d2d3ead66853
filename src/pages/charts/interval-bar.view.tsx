// A share as a point on an axis, with its interval as a line. The page has the numbers in words.
type Props = {
  share: number | null
  interval: readonly number[] | null
  /** Another share, as a dotted line. */
  beside?: number | null
  /** The ends of the axis. */
  low?: number
  high?: number
}

export function IntervalBar({ share, interval, beside = null, low = 0, high = 1 }: Props) {
  const at = (one: number): number => Math.round(((one - low) / (high - low)) * 1000) / 10
  const [from, to] = interval ?? []
  return (
    <svg class="interval" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 10H100" />
      {beside !== null && <path class="before" d={`M${at(beside)} 0V20`} />}
      {from !== undefined && to !== undefined && <path class="range" d={`M${at(from)} 10H${at(to)}`} />}
      {share !== null && <path class="share" d={`M${at(share)} 10h.01`} />}
    </svg>
  )
}

/** The marks of the axis that the intervals below it share. */
export const Axis = ({ marks }: { marks: readonly string[] }) => (
  <span class="axis row between" aria-hidden="true">
    {marks.map((mark) => (
      <span key={mark}>{mark}</span>
    ))}
  </span>
)
