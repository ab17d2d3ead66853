// What the gateway is meant to cost at most, and whether it does.
import { cpuRatio, figuresOf } from './figures.ts'
import type { ChatCase } from './cases.ts'
import type { CaseRuns } from './measure.ts'
import type { SystemName } from './systems.ts'

type Ways = ReadonlySet<SystemName>

/** One line for each target of the cases that were measured. */
export function judge(measured: readonly CaseRuns[]): string[] {
  return measured.flatMap((one) => [...judgeCpu(one), ...judgeTimes(one)])
}

type CpuTarget = { of: string; name: SystemName; beside: SystemName; most: number }

/** Portkey writes nothing. A commit that waits for a disk takes four times the CPU of one that does not. */
const CPU_TARGETS: readonly CpuTarget[] = [
  { of: 'json, 20 ms, c16', name: 'gateway, memory', beside: 'Portkey on Node', most: 1.1 },
  { of: 'json, 20 ms, c16', name: 'gateway, disk', beside: 'Portkey on Node', most: 1.3 },
  { of: 'stream, 200 at once, c16', name: 'gateway, memory', beside: 'read and enqueue', most: 0.7 },
  { of: 'stream, 200 at once, c16', name: 'gateway, disk', beside: 'read and enqueue', most: 0.7 },
  { of: 'stream, 200 every 5 ms, c16', name: 'gateway, memory', beside: 'Portkey on workerd', most: 0.9 },
  { of: 'stream, 200 every 5 ms, c16', name: 'gateway, disk', beside: 'Portkey on workerd', most: 0.9 },
]

/** A target of a way that was not measured is none. */
function judgeCpu(one: CaseRuns): string[] {
  const ways: Ways = new Set(one.runs.keys())
  return CPU_TARGETS.filter(
    ({ of, name, beside }) => of === one.chatCase.name && ways.has(name) && ways.has(beside),
  ).map(({ of, name, beside, most }) =>
    verdict(`${of}: CPU, ${name} / ${beside}`, cpuRatio(one, name, beside), most, '×'),
  )
}

const ADDED_P50_MS = 3
const ADDED_FIRST_BYTE_MS = 3
const ADDED_GAP_MS = 5

const GATEWAYS = ['gateway, memory', 'gateway, disk'] as const

function judgeTimes(one: CaseRuns): string[] {
  return GATEWAYS.flatMap((name) => {
    const figures = figuresOf(one, name)
    if (figures === null) return []
    return timeTargets(one.chatCase).map(({ what, figure, most }) =>
      verdict(`${one.chatCase.name}: ${what}, ${name}`, figures[figure], most, ' ms'),
    )
  })
}

type TimeTarget = { what: string; figure: 'addedP50' | 'addedFirstByte' | 'addedLongestGap'; most: number }

function timeTargets({ behaviour, connections, events }: ChatCase): TimeTarget[] {
  const isPaced = events !== null && !behaviour.endsWith(',0')
  const gap = { what: 'longest gap over direct', figure: 'addedLongestGap', most: ADDED_GAP_MS } as const
  const firstByte = { what: 'first byte over direct', figure: 'addedFirstByte', most: ADDED_FIRST_BYTE_MS } as const
  if (isPaced) return connections === 1 ? [firstByte, gap] : [gap]
  if (behaviour !== 'slow,20' || connections !== 16) return []
  return [{ what: 'added p50', figure: 'addedP50', most: ADDED_P50_MS }]
}

function verdict(what: string, measured: number | null, most: number, unit: string): string {
  if (measured === null) return `${what}: not measurable on this system (target ${most}${unit})`
  const outcome = measured <= most ? 'met' : `MISSED by ${(measured - most).toFixed(2)}${unit}`
  return `${what}: ${measured.toFixed(2)}${unit}, target at most ${most}${unit}: ${outcome}`
}
