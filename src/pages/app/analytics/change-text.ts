// Says how much a figure changed.
import { shownDifference } from '../../../platform/shown-difference.ts'

/** True if so little was before that a percentage says nothing: then the difference itself is said. */
export const isBeyondPercent = (now: number, before: number): boolean => Math.abs(now - before) > 3 * before

type Format = (value: number) => string

/** Returns “+14” or “−€0.20”: the difference of both figures as they are shown. @param format of both, and of the change if it has no other */
export function changeText(now: number, before: number, format: Format, formatChange: Format = format): string {
  const difference = shownDifference(now, before, format)
  return difference === 0 ? '–' : (difference > 0 ? '+' : '−') + formatChange(Math.abs(difference))
}
