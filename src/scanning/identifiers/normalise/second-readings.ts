// Builds the copy in which some words are read differently, such as "O87" as 087 or "nine four three" as 943.
import { CopyBuilder } from './matching-copy.ts'
import type { MatchingCopy } from './matching-copy.ts'

/** The stretch [start, end) of a copy's text, and the ASCII it is read as. */
export type Reading = { start: number; end: number; text: string }

/** Enough to hold any shape with its label; text further from a second reading was searched in the first copy. */
const MARGIN = 96

/** A copy of the surroundings of `readings`, which are in order of start, with each in place. */
export function withReadings(copy: MatchingCopy, readings: readonly Reading[]): MatchingCopy {
  const { text, origin } = copy
  const builder = new CopyBuilder(Math.min(readings.length * (MARGIN * 2 + 48), text.length))
  const stretches: (readonly [from: number, to: number])[] = []
  let position = 0
  const copyUntil = (from: number, limit: number): void => {
    if (from > position) {
      // Two line ends part what does not belong together.
      builder.append(0x0a, from - 1, from - 1)
      builder.append(0x0a, from - 1, from - 1)
      position = from
    }
    for (; position < limit; position += 1) {
      const start = origin === undefined ? position : (origin.starts[position] ?? 0)
      const end = origin === undefined ? position + 1 : (origin.ends[position] ?? 0)
      builder.append(text.charCodeAt(position), start, end)
    }
  }
  readings.forEach((reading, index) => {
    if (reading.start < position) return
    copyUntil(Math.max(position, reading.start - MARGIN), reading.start)
    const from = builder.length
    const first = origin === undefined ? reading.start : (origin.starts[reading.start] ?? 0)
    const last = origin === undefined ? reading.end : (origin.ends[reading.end - 1] ?? 0)
    for (let at = 0; at < reading.text.length; at += 1) builder.append(reading.text.charCodeAt(at), first, last)
    stretches.push([from, builder.length])
    position = reading.end
    copyUntil(position, Math.min(text.length, reading.end + MARGIN, readings[index + 1]?.start ?? text.length))
  })
  const built = builder.build()
  const altered = new Uint8Array(built.text.length)
  for (const [from, to] of stretches) altered.fill(1, from, to)
  return { ...built, altered }
}
