// What it costs an organisation's object to look for anomalies and to compare groups: SQLite and statistics together.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorker } from '../workerd/bundle.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { plainTable } from '../workerd/report.ts'
import { median } from '../workerd/rounds.ts'
import { startServer, type Server } from '../workerd/server.ts'
import { BUSY, CALLS_AN_HOUR, COUNTED_DAYS, LOOKS, type Look } from './looks.ts'

const ROUNDS = 5
const TIMES_A_ROUND = 10

const WHAT: Readonly<Record<Look, string>> = {
  rates: 'rates of a whole week, hour by hour, and of the 28 days before it',
  days: 'figures of the last eight days, and of 28 before each',
  model: 'a report by model, 30 days',
  key: 'a report by key, 92 days',
}

/** Milliseconds of the process's CPU; of the clock where the system does not tell CPU. */
async function costOf({ pid, url }: Server, look: Look): Promise<number> {
  const cpu = () => cpuMicroseconds(pid) ?? performance.now() * 1000
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = cpu()
    await have(`${url}/?look=${look}&times=${TIMES_A_ROUND}`)
    rounds.push((cpu() - before) / 1000 / TIMES_A_ROUND)
  }
  return median(rounds)
}

async function have(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the Worker answered ${response.status}`)
}

export async function measureLooks(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/oversight/look-worker.ts')
    const binding = { kind: 'durable_object', name: 'COUNTS', className: 'Counts' } as const
    const server = await startServer(folder, { bundle, bindings: [binding] }, null)
    try {
      await have(`${server.url}/`)
      const rows: string[][] = []
      for (const look of LOOKS) rows.push([WHAT[look], (await costOf(server, look)).toFixed(1)])
      const of = Object.entries(BUSY).map(([kind, count]) => `${count} of ${kind}`)
      const head = `${COUNTED_DAYS} days of ${CALLS_AN_HOUR.toLocaleString('en')} calls an hour: ${of.join(', ')}. Median of ${ROUNDS}.`
      return [head, plainTable([['what', 'CPU ms'], ...rows])].join('\n')
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}
