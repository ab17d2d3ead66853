// Says how much a figure changed, for a table.
import { formatPercent } from '../../text/format.ts'

/** True if so little was before that a percentage says nothing: then the difference itself is said. */
export const isBeyondPercent = (now: number, before: number): boolean => Math.abs(now - before) > 3 * before

/** Returns “+2%”, “−7.8%”, or “+14” where a percentage says nothing. */
export function changeText(now: number, before: number, format: (value: number) => string): string {
  if (now === before) return '–'
  const difference = Math.abs(now - before)
  return (
    (now > before ? '+' : '−') +
    (isBeyondPercent(now, before) ? format(difference) : formatPercent(difference / before))
  )
}
