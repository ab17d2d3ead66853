// Counts the objects' statements, reads and writes for an average call of each kind, sent to the real service over HTTP. Reports
// them in a table, with the targets for a chat.
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf } from '../process-stats.ts'
import { plainTable, verdict } from '../benchmark-report.ts'
import { CALL_KINDS, type CountedService, type CallKind } from './counted-service.ts'
import { sumCounts, type Counts } from './counted-worker-api.ts'

/** The counts of one call. `cpuMicroseconds` is the whole process's; NaN if the system does not report it. */
export type TurnCounts = {
  kind: CallKind
  /** Counts by method name. */
  methods: Record<string, Counts>
  cpuMicroseconds: number
}

const CALLS = 100

/** Warm-up calls, more than any limit's window counts. So each measured call also removes an expired call from its window. */
const WARM_UP_CALLS = 700
const WARM_UP_OTHERS = 20

/** More milliseconds than settling takes after the answer. */
const SETTLED_MS = 500

/** Counts turns without alarms. The later work of alarms is counted over a chat's whole life (chat-lifetime.ts). */
export async function countTurns(service: CountedService): Promise<TurnCounts[]> {
  const counted: TurnCounts[] = []
  for (const kind of CALL_KINDS) {
    process.stderr.write(`${kind}\n`)
    const ask = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) await service.ask[kind]()
      await sleep(SETTLED_MS)
    }
    await ask(kind === 'chat' ? WARM_UP_CALLS : WARM_UP_OTHERS)
    await service.takeCounts()
    const cpu = await cpuOf(service.server.pid, () => ask(CALLS))
    const { turns } = await service.takeCounts()
    const methods = Object.entries(turns).map(([method, counts]) => [method, sumCounts([counts], CALLS)] as const)
    counted.push({ kind, methods: Object.fromEntries(methods), cpuMicroseconds: cpu / CALLS })
  }
  return counted
}

const MOST_ROWS = 4
const MOST_STATEMENTS = 4

const HEADING = ['requests of objects', 'statements', 'rows written', 'rows read', 'alarms set']

export function countTable(title: string, rows: readonly (readonly [string, Counts])[], digits = 2): string {
  const cells = rows.map(([name, { requests, statements, rowsWritten, rowsRead, alarmsSet }]) =>
    [name].concat([requests, statements, rowsWritten, rowsRead, alarmsSet].map((value) => value.toFixed(digits))),
  )
  return plainTable([[title, ...HEADING], ...cells])
}

export function reportTurns(counted: readonly TurnCounts[]): string {
  const rows: [string, Counts][] = []
  for (const { kind, methods } of counted) {
    rows.push([kind, sumCounts(Object.values(methods))])
    for (const [method, counts] of Object.entries(methods)) rows.push([`  ${method}`, counts])
  }
  const chat = sumCounts(Object.values(counted.find(({ kind }) => kind === 'chat')?.methods ?? {}))
  return [
    countTable('one call', rows),
    verdict('rows written, two turns of a chat', chat.rowsWritten, MOST_ROWS).line,
    verdict('statements, two turns of a chat', chat.statements, MOST_STATEMENTS).line,
  ].join('\n')
}
