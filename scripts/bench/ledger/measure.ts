// What each kind of work costs, told from outside to a Worker on bare workerd.
import { join } from 'node:path'
import { z } from 'zod'
import { bundleWorker } from '../workerd/bundle.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { median } from '../workerd/rounds.ts'
import { startServer, type Server } from '../workerd/server.ts'
import type { CountedService } from './counted-service.ts'
import type { LogWork } from './counts.ts'
import { SEALING, type Work } from './work.ts'

/** `cpu`: microseconds of each time; null where the system does not tell them. */
export type Cost = { perSecond: number; cpu: number | null }

const MINUTE_MS = 60_000
const TIMES = 1000
const TIMES_A_CALL = 100
const BATCHES_SEALED = 20

const AnswerSchema = z.object({ leaves: z.int(), bytes: z.int() })

/** The Worker that signs and seals. */
export async function startSigning(folder: string): Promise<Server> {
  const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/ledger/worker.ts')
  return startServer(folder, { bundle, bindings: [] }, null)
}

async function have(server: Server, work: Work, times: number) {
  const query = new URLSearchParams({ work, times: String(times) })
  return AnswerSchema.parse(await (await fetch(`${server.url}/?${query.toString()}`)).json())
}

/** How much of the process's CPU each of `times` took. */
async function costOf({ pid }: Server, times: number, work: () => Promise<void>): Promise<Cost> {
  const before = cpuMicroseconds(pid)
  const startedAt = performance.now()
  await work()
  const elapsedMs = performance.now() - startedAt
  const after = cpuMicroseconds(pid)
  const cpu = before === null || after === null ? null : (after - before) / times
  return { perSecond: (times * 1000) / elapsedMs, cpu }
}

export const measureSigning = (server: Server, work: Work): Promise<Cost> =>
  costOf(server, TIMES, async () => {
    for (let done = 0; done < TIMES; done += TIMES_A_CALL) await have(server, work, TIMES_A_CALL)
  })

/** In turns of the object, after its alarm has put what came before where it belongs. */
export async function measureWork(service: CountedService, work: LogWork): Promise<Cost> {
  await service.pass(MINUTE_MS)
  return costOf(service.server, TIMES, async () => {
    for (let done = 0; done < TIMES; done += TIMES_A_CALL) await service.work(work, TIMES_A_CALL)
  })
}

const STARTS = 15

/** Milliseconds of CPU from nothing to the first answer, more than that answer costs an object that is there. */
export async function measureStart(service: CountedService): Promise<number | null> {
  const answer = () => costOf(service.server, 1, () => service.work('head', 0))
  const starts: number[] = []
  for (let n = 0; n < STARTS; n++) {
    await service.evict()
    const [first, second] = [await answer(), await answer()]
    starts.push(((first.cpu ?? Number.NaN) - (second.cpu ?? Number.NaN)) / 1000)
  }
  const start = median(starts)
  return Number.isNaN(start) ? null : start
}

/** Bytes of an object, and microseconds of CPU, for each entry that is put away. */
export async function measureSealing(server: Server): Promise<{ bytes: number; cpu: number | null }> {
  await have(server, SEALING, 1)
  const before = cpuMicroseconds(server.pid)
  const { leaves, bytes } = await have(server, SEALING, BATCHES_SEALED)
  const after = cpuMicroseconds(server.pid)
  return { bytes: bytes / leaves, cpu: before === null || after === null ? null : (after - before) / leaves }
}
