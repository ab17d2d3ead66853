// What the ledger costs an organisation's object: appending at several sizes, with the Merkle tree and without, its head and
// proofs, and the bytes an entry takes. `npm run bench -- ledger --help`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Work } from './ledger/work.ts'
import { bundleWorker } from './workerd/bundle.ts'
import { cpuMicroseconds } from './workerd/cpu-time.ts'
import { plainTable } from './workerd/report.ts'
import { median } from './workerd/rounds.ts'
import { startServer, type Server } from './workerd/server.ts'

const HELP = `npm run bench -- ledger [options]

  --entries LIST   how many entries there are before (1,1000); 1000000 takes minutes a round
  --rounds N       how often each is measured; the figures are medians of the rounds (7)
  --help           this text`

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1,1000' },
    rounds: { type: 'string', default: '7' },
    help: { type: 'boolean', short: 'h' },
  },
})

const sizes = options.entries.split(',').map(Number)
const rounds = Number(options.rounds)

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most
const isRunnable = isWithin(rounds, 1000) && sizes.every((size) => isWithin(size, 10_000_000))

const MEASURED: readonly Work[] = ['bare', 'append', 'head', 'inclusion', 'consistency']
const TIMES = 1000
const TIMES_A_CALL = 100
const WARM_UP_ENTRIES = 1000
const FILLED_A_CALL = 1000
/** Enough that whole pages of the database do not matter. */
const ENTRIES_WEIGHED = 20_000

type Run = { work: Work; size: number; perSecond: number; cpu: number | null }

const AnswerSchema = z.object({ leaves: z.int(), bytes: z.int() })

/** Has an object do it so many times, in calls of at most `atOnce`. */
async function have(server: Server, object: string, work: Work, times: number, atOnce: number) {
  let answer = { leaves: 0, bytes: 0 }
  for (let done = 0; done < times; done += atOnce) {
    const query = new URLSearchParams({ work, times: String(Math.min(atOnce, times - done)) })
    const response = await fetch(`${server.url}/${object}?${query.toString()}`)
    answer = AnswerSchema.parse(await response.json())
  }
  return answer
}

async function measure(server: Server, object: string, work: Work, size: number): Promise<Run> {
  const before = cpuMicroseconds(server.pid)
  const startedAt = performance.now()
  await have(server, object, work, TIMES, TIMES_A_CALL)
  const elapsedMs = performance.now() - startedAt
  const after = cpuMicroseconds(server.pid)
  const cpu = before === null || after === null ? null : (after - before) / TIMES
  return { work, size, perSecond: (TIMES * 1000) / elapsedMs, cpu }
}

async function measureAll(server: Server): Promise<Run[]> {
  const runs: Run[] = []
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? 'Warming up\n' : `Round ${round} of ${rounds}\n`)
    for (const size of round === 0 ? [WARM_UP_ENTRIES] : sizes) {
      await have(server, `bare-${size}-${round}`, 'bare', size, FILLED_A_CALL)
      await have(server, `tree-${size}-${round}`, 'append', size, FILLED_A_CALL)
      for (const work of MEASURED) {
        const run = await measure(server, `${work === 'bare' ? 'bare' : 'tree'}-${size}-${round}`, work, size)
        if (round > 0) runs.push(run)
      }
    }
  }
  return runs
}

function report(runs: readonly Run[]): string {
  const rows = sizes.flatMap((size) =>
    MEASURED.map((work) => {
      const those = runs.filter((run) => run.size === size && run.work === work)
      const cpu = median(those.map((run) => run.cpu ?? Number.NaN))
      const perSecond = median(those.map((run) => run.perSecond)).toFixed(0)
      return [TITLES[work], String(size), perSecond, Number.isNaN(cpu) ? 'not measurable' : cpu.toFixed(1)]
    }),
  )
  return plainTable([['work', 'entries before', 'times/s', 'CPU µs'], ...rows])
}

const TITLES: Record<Work, string> = {
  bare: 'append, without the tree',
  append: 'append',
  kept: 'what is kept',
  head: 'root of the newest head',
  inclusion: 'inclusion proof',
  consistency: 'consistency proof',
}

async function weigh(server: Server): Promise<string> {
  const rows: string[][] = []
  for (const work of ['append', 'kept'] as const) {
    const empty = await have(server, `weigh-${work}`, work, 1, 1)
    const full = await have(server, `weigh-${work}`, work, ENTRIES_WEIGHED, FILLED_A_CALL)
    const bytes = (full.bytes - empty.bytes) / (full.leaves - empty.leaves)
    const name = work === 'append' ? 'with its details' : 'once they are gone, with a receipt'
    rows.push([name, bytes.toFixed(0), ((8 * 2 ** 30) / bytes / 1e6).toFixed(1)])
  }
  return plainTable([['an entry', 'bytes', 'million entries in 8 GiB'], ...rows])
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/ledger/worker.ts')
  const bindings = [{ kind: 'durable_object', name: 'LEDGER', className: 'BenchLedger' }] as const
  const server = await startServer(folder, { bundle, bindings }, null)
  try {
    console.log(`${report(await measureAll(server))}\n\n${await weigh(server)}`)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (options.help === true) {
  console.log(HELP)
} else if (isRunnable) {
  await main()
} else {
  console.error(`Entries and rounds are whole numbers from 1.\n\n${HELP}`)
  process.exitCode = 2
}
