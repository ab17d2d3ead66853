// The plain text of what was measured: a table a case, the memory of each process, and the targets.
import { plainTable } from '../workerd/report.ts'
import { residentMemory } from '../workerd/memory.ts'
import { cpuRatio, figuresOf } from './figures.ts'
import type { CaseRuns } from './measure.ts'
import type { System, SystemName } from './systems.ts'
import { judge } from './targets.ts'

const EVERY_CASE = ['requests/s', 'added p50 ms', 'added p99 ms', 'CPU µs', 'CPU / Portkey on Node', 'on workerd']
/** What the CPU of every way is told beside, where it was measured. */
const BESIDE = ['Portkey on Node', 'Portkey on workerd'] as const
const STREAMS = ['added first byte ms', 'added longest gap ms']

export const reportCases = (measured: readonly CaseRuns[]): string => measured.map(reportCase).join('\n\n')

function reportCase(one: CaseRuns): string {
  const { chatCase, runs } = one
  const isStream = chatCase.events !== null
  const rows = [...runs.keys()].map((name) => reportWay(one, name, isStream))
  return plainTable([[chatCase.name, ...EVERY_CASE, ...(isStream ? STREAMS : [])], ...rows])
}

function reportWay(one: CaseRuns, name: SystemName, isStream: boolean): string[] {
  const figures = figuresOf(one, name)
  if (figures === null) return [name]
  const isDirect = name === 'direct'
  const beside = (value: number): string => (isDirect ? '' : value.toFixed(2))
  return [
    name,
    figures.requestsPerSecond.toFixed(0),
    beside(figures.addedP50),
    beside(figures.addedP99),
    isDirect ? '' : (figures.cpuMicroseconds?.toFixed(0) ?? 'not measurable'),
    ...BESIDE.map((other) => (isDirect ? '' : (cpuRatio(one, name, other)?.toFixed(2) ?? ''))),
    ...(isStream ? [beside(figures.addedFirstByte), beside(figures.addedLongestGap)] : []),
  ]
}

const MIB = 1024 * 1024

/** Of the whole process, after its runs. */
export function reportMemory(systems: readonly System[]): string {
  const rows = systems.flatMap(({ name, server }) => {
    const memory = name === 'direct' ? null : residentMemory(server.pid)
    return memory === null ? [] : [[name, (memory.nowBytes / MIB).toFixed(0), (memory.peakBytes / MIB).toFixed(0)]]
  })
  return plainTable([['resident memory', 'MiB', 'peak MiB'], ...rows])
}

export const reportTargets = (measured: readonly CaseRuns[]): string => ['Targets', ...judge(measured)].join('\n  ')
