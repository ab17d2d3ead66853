// Says how much a figure changed.

/** True if so little was before that a percentage says nothing: then the difference itself is said. */
export const isBeyondPercent = (now: number, before: number): boolean => Math.abs(now - before) > 3 * before

/** Returns “+14” or “−€0.20”: the difference in the unit of its column. */
export const changeText = (now: number, before: number, format: (value: number) => string): string =>
  now === before ? '–' : (now > before ? '+' : '−') + format(Math.abs(now - before))
