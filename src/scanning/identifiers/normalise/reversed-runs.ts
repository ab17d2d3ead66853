// Text after a right-to-left override is stored backwards and shown forwards: this restores what the eye sees.
import type { SourceUnits } from './source-units.ts'

const OVERRIDE = 0x202e
const ENDS = new Set([0x202c, 0x2069, 0x202d, 0x0a, 0x2029])

/** `units` with each overridden run turned round, or undefined when there is no override. */
export function turnReversedRuns(units: SourceUnits): SourceUnits | undefined {
  if (!units.codePoints.includes(OVERRIDE)) return undefined
  const order: number[] = []
  let index = 0
  while (index < units.codePoints.length) {
    if (units.codePoints[index] !== OVERRIDE) {
      order.push(index)
      index += 1
      continue
    }
    let end = index + 1
    while (end < units.codePoints.length && !ENDS.has(units.codePoints[end] ?? 0)) end += 1
    for (let back = end - 1; back > index; back -= 1) order.push(back)
    index = end
  }
  const pick = (values: number[]): number[] => order.map((from) => values[from] ?? 0)
  return { codePoints: pick(units.codePoints), starts: pick(units.starts), ends: pick(units.ends) }
}
