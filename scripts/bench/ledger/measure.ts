// A ledger in an object on bare workerd, told from outside what to do, and what each kind of work costs it.
import { join } from 'node:path'
import { z } from 'zod'
import { bundleWorker } from '../workerd/bundle.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { startServer, type Server } from '../workerd/server.ts'
import { SEALING, type LedgerWork, type Work } from './work.ts'

/** `cpu`: microseconds of each time; null where the system does not tell them. */
export type Cost = { perSecond: number; cpu: number | null }

const TIMES = 1000
const TIMES_A_CALL = 100
const FILLED_A_CALL = 1000
/** Enough that whole pages of the database do not matter. */
const TIMES_WEIGHED = 20_000
const BATCHES_SEALED = 20

const AnswerSchema = z.object({ leaves: z.int(), bytes: z.int() })

export async function startLedger(folder: string): Promise<Server> {
  const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/ledger/worker.ts')
  const bindings = [{ kind: 'durable_object', name: 'LEDGER', className: 'BenchLedger' }] as const
  return startServer(folder, { bundle, bindings }, null)
}

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

/** Appends so many entries, `bare` without the tree. */
export async function fill(server: Server, object: string, entries: number, work: LedgerWork = 'append') {
  return have(server, object, work, entries, FILLED_A_CALL)
}

export async function measure(server: Server, object: string, work: Work): Promise<Cost> {
  const before = cpuMicroseconds(server.pid)
  const startedAt = performance.now()
  await have(server, object, work, TIMES, TIMES_A_CALL)
  const elapsedMs = performance.now() - startedAt
  const after = cpuMicroseconds(server.pid)
  const cpu = before === null || after === null ? null : (after - before) / TIMES
  return { perSecond: (TIMES * 1000) / elapsedMs, cpu }
}

/** Bytes of the database that it takes each time. */
export async function weigh(
  server: Server,
  work: 'append' | 'call' | 'kept' | 'public leaf' | 'public head',
): Promise<number> {
  const object = `weigh-${work.replace(' ', '-')}`
  const before = await fill(server, object, TIMES_WEIGHED, work)
  const after = await fill(server, object, TIMES_WEIGHED, work)
  return (after.bytes - before.bytes) / TIMES_WEIGHED
}

/** Bytes of an object, and microseconds of CPU, for each entry that is put away. */
export async function measureSealing(server: Server): Promise<{ bytes: number; cpu: number | null }> {
  await have(server, '', SEALING, 1, 1)
  const before = cpuMicroseconds(server.pid)
  const { leaves, bytes } = await have(server, '', SEALING, BATCHES_SEALED, BATCHES_SEALED)
  const after = cpuMicroseconds(server.pid)
  return { bytes: bytes / leaves, cpu: before === null || after === null ? null : (after - before) / leaves }
}
