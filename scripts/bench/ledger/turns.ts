// What one call of each kind makes the objects execute, read and write, told over HTTP of the real service.
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { plainTable } from '../workerd/report.ts'
import { sumCounts, type Counts } from './counts.ts'
import { KINDS, type CountedService, type Kind } from './counted-service.ts'

export type TurnCounts = {
  kind: Kind
  /** Of one call: by method, those that were called. */
  methods: Record<string, Counts>
  bindings: Record<string, number>
  /** Of the whole process, objects included; null where the system does not tell it. */
  cpuMicroseconds: number | null
}

const CALLS = 100

/** Longer than any window in which calls are counted: what leaves one is part of the call that lets it leave. */
const WARM_UP_CALLS = 700
const WARM_UP_OTHERS = 20

/** Longer than a settlement takes after its answer. */
const SETTLED_MS = 500

/** No alarm goes off meanwhile: what follows a call later is told of its whole life. */
export async function countTurns(service: CountedService): Promise<TurnCounts[]> {
  const counted: TurnCounts[] = []
  for (const kind of KINDS) {
    process.stderr.write(`${kind}\n`)
    const asked = service.ask[kind]
    for (let n = 0; n < (kind === 'chat' ? WARM_UP_CALLS : WARM_UP_OTHERS); n++) await asked()
    await sleep(SETTLED_MS)
    await service.takeCounts()
    const before = cpuMicroseconds(service.server.pid)
    for (let n = 0; n < CALLS; n++) await asked()
    await sleep(SETTLED_MS)
    const after = cpuMicroseconds(service.server.pid)
    const { turns, bindings } = await service.takeCounts()
    counted.push({
      kind,
      methods: Object.fromEntries(Object.entries(turns).map(([method, counts]) => [method, eachOf(counts, CALLS)])),
      bindings: Object.fromEntries(Object.entries(bindings).map(([name, times]) => [name, times / CALLS])),
      cpuMicroseconds: before === null || after === null ? null : (after - before) / CALLS,
    })
  }
  return counted
}

export const eachOf = (counts: Counts, times: number): Counts => ({
  requests: counts.requests / times,
  statements: counts.statements / times,
  rowsRead: counts.rowsRead / times,
  rowsWritten: counts.rowsWritten / times,
  alarmsSet: counts.alarmsSet / times,
  milliseconds: counts.milliseconds / times,
})

const MOST_ROWS = 4
const MOST_STATEMENTS = 4

export function reportTurns(counted: readonly TurnCounts[]): string {
  const rows = counted.flatMap(({ kind, methods }) => {
    const all = Object.entries(methods)
    const each = all.map(([method, counts]) => row(`  ${method}`, counts))
    return [row(kind, sumCounts(all.map(([, counts]) => counts))), ...each]
  })
  const heading = ['one call', 'requests of objects', 'statements', 'rows written', 'rows read', 'alarms set']
  return [plainTable([heading, ...rows]), ...judgeTurns(counted)].join('\n')
}

const row = (name: string, counts: Counts): string[] => [
  name,
  ...[counts.requests, counts.statements, counts.rowsWritten, counts.rowsRead, counts.alarmsSet].map((value) =>
    value.toFixed(2),
  ),
]

function judgeTurns(counted: readonly TurnCounts[]): string[] {
  const chat = counted.find(({ kind }) => kind === 'chat')
  const { rowsWritten, statements } = sumCounts(Object.values(chat?.methods ?? {}))
  return [
    verdict('rows written, two turns of a chat', rowsWritten, MOST_ROWS),
    verdict('statements, two turns of a chat', statements, MOST_STATEMENTS),
  ]
}

export function verdict(what: string, measured: number, most: number, unit = ''): string {
  const outcome = measured <= most ? 'met' : `MISSED by ${(measured - most).toFixed(2)}${unit}`
  return `${what}: ${measured.toFixed(2)}${unit}, target at most ${most}${unit}: ${outcome}`
}
