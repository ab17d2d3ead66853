// What the gateway is meant to cost at most, and whether it does.
import { cpuRatio, figuresOf, type Figures } from './figures.ts'
import type { CaseRuns } from './measure.ts'

/** One line for each target and case. */
export function judge(measured: readonly CaseRuns[]): string[] {
  return measured.flatMap((one) => [...judgeCpu(one), ...judgeTimes(one)])
}

const CPU_TO_FLOOR = 1.5
const CPU_TO_ENQUEUE = 1.3
const LONG_STREAM_EVENTS = 200

function judgeCpu(one: CaseRuns): string[] {
  const { name, events } = one.chatCase
  if (events === null) {
    const ratio = cpuRatio(one, 'gateway', 'writing floor')
    return [verdict(`${name}: CPU beside the writing floor's`, ratio, CPU_TO_FLOOR, '×')]
  }
  if (events < LONG_STREAM_EVENTS) return []
  const ratio = cpuRatio(one, 'gateway', 'read and enqueue')
  return [verdict(`${name}: CPU beside reading and enqueuing`, ratio, CPU_TO_ENQUEUE, '×')]
}

const ADDED_P50_MS = 3
const ADDED_FIRST_BYTE_MS = 3
const ADDED_GAP_MS = 5

function judgeTimes(one: CaseRuns): string[] {
  const { name, behaviour, connections, events } = one.chatCase
  const figures: Figures | null = figuresOf(one, 'gateway')
  if (figures === null) return []
  const isPaced = events !== null && !behaviour.endsWith(',0')
  return [
    ...(behaviour === 'slow,20' && connections === 16
      ? [verdict(`${name}: added p50`, figures.addedP50, ADDED_P50_MS, ' ms')]
      : []),
    ...(isPaced && connections === 1
      ? [verdict(`${name}: first byte over direct`, figures.addedFirstByte, ADDED_FIRST_BYTE_MS, ' ms')]
      : []),
    ...(isPaced ? [verdict(`${name}: longest gap over direct`, figures.addedLongestGap, ADDED_GAP_MS, ' ms')] : []),
  ]
}

function verdict(what: string, measured: number | null, most: number, unit: string): string {
  if (measured === null) return `${what}: not measurable on this system (target ${most}${unit})`
  const outcome = measured <= most ? 'holds' : `MISSED by ${(measured - most).toFixed(2)}${unit}`
  return `${what}: ${measured.toFixed(2)}${unit}, target at most ${most}${unit}: ${outcome}`
}
