// What it costs to answer about a year of calls, from what was counted of them: the CPU of the object's turn, by a year of few rows and by
// one of many.
import { join } from 'node:path'
import { z } from 'zod'
import { bundleWorker } from '../workerd/bundle.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { plainTable } from '../workerd/report.ts'
import { median } from '../workerd/rounds.ts'
import { startServer, type Server } from '../workerd/server.ts'
import { QUESTION_NAMES, rowsOf, YEARS, type Year } from './usage-questions.ts'

/** Figures are medians of the rounds, in each of which a question is asked so many times. */
const ROUNDS = 5
const TIMES = 20

const AnswerSchema = z.object({ rows: z.int() })

const FOLD = 'folding a day'

type Cost = { rows: number; milliseconds: number }

export async function measureUsage(folder: string): Promise<string> {
  const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/oversight/usage-worker.ts')
  const measured: Map<string, Cost>[] = []
  for (const year of YEARS) measured.push(await measureYear(folder, bundle, year))
  const rowOf = (work: string): string[] => [
    work,
    ...measured.flatMap((costs) => {
      const { rows = 0, milliseconds = Number.NaN } = costs.get(work) ?? {}
      return [String(rows), Number.isNaN(milliseconds) ? 'not measurable' : milliseconds.toFixed(1)]
    }),
  ]
  const head = YEARS.flatMap((year) => ['rows told', `CPU ms of ${rowsOf(year).toLocaleString('en')}`])
  return plainTable([['a year', ...head], ...[...QUESTION_NAMES, FOLD].map(rowOf)])
}

async function measureYear(folder: string, bundle: string, year: Year): Promise<Map<string, Cost>> {
  const bindings = [{ kind: 'durable_object', name: 'COUNTS', className: 'Counts' }] as const
  const server = await startServer(join(folder, String(rowsOf(year))), { bundle, bindings }, null)
  try {
    process.stderr.write(`Filling ${rowsOf(year)} rows\n`)
    await fetch(`${server.url}/fill`, { method: 'POST', body: JSON.stringify(year) })
    const costs = new Map<string, Cost>()
    for (const work of [...QUESTION_NAMES, FOLD]) {
      const runs: Cost[] = []
      await ask(server, work)
      for (let round = 0; round < ROUNDS; round += 1) runs.push(await ask(server, work))
      costs.set(work, { rows: runs[0]?.rows ?? 0, milliseconds: median(runs.map(({ milliseconds }) => milliseconds)) })
    }
    return costs
  } finally {
    await server.stop()
  }
}

async function ask(server: Server, work: string): Promise<Cost> {
  const query = new URLSearchParams({ question: work, times: String(TIMES) })
  const url = `${server.url}/${work === FOLD ? 'fold' : 'answer'}?${query.toString()}`
  const before = cpuMicroseconds(server.pid)
  const { rows } = AnswerSchema.parse(await (await fetch(url)).json())
  const after = cpuMicroseconds(server.pid)
  return { rows, milliseconds: before === null || after === null ? Number.NaN : (after - before) / TIMES / 1000 }
}
