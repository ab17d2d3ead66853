// Sends mixed calls for minutes and watches what grows: resident memory, V8's heap after a collection, and the databases.
import { readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { verdict } from '../bench/benchmark-report.ts'
import { startEmulatorProcess } from '../bench/gateway/emulator-process.ts'
import { requestsUntil } from '../bench/neighbours/callers.ts'
import { makeCall } from '../bench/send-load.ts'
import { percentile } from '../bench/statistics.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { buildService, type RunningService } from '../workerd/start-service.ts'
import { openIsolateHeap } from './isolate-heap.ts'
import { mixedProviders, prepareMixedCalls, startMixedCalls } from './mixed-calls.ts'

const CALLS_A_SECOND = 15
const MINUTE_MS = 60_000
/** These are not judged: code is compiled and caches fill. A short run leaves out a quarter. */
const WARM_UP_MINUTES = 5
const MOST_HEAP_MB = 1
const HEALTH_PAUSE_MS = 100

type Minute = {
  calls: number
  /** Before the collection of garbage; all others after it. */
  residentBeforeMb: number
  residentMb: number
  heapUsedMb: number
  heapTotalMb: number
  databasesMb: number
  healthP99Ms: number
  healthMaxMs: number
}

const COLUMNS: Readonly<Record<keyof Minute, string>> = {
  calls: 'calls',
  residentBeforeMb: 'resident MB',
  residentMb: 'collected MB',
  heapUsedMb: 'heap used MB',
  heapTotalMb: 'heap total MB',
  databasesMb: 'databases MB',
  healthP99Ms: '/healthz p99 ms',
  healthMaxMs: 'max ms',
}

/** Runs for so many minutes. Returns 1 if the used heap grows. */
export async function watchMemory(minutes: number): Promise<0 | 1> {
  process.stderr.write('Building and starting\n')
  const folder = await makeTemporaryFolder()
  const emulator = await startEmulatorProcess()
  try {
    const vars = mixedProviders({ url: `http://127.0.0.1:${emulator.port}`, key: emulator.key })
    const built = await buildService(join(folder, 'service'), { vars })
    const service = await built.start({ inspector: true })
    try {
      return judge(await watch(service, join(folder, 'service'), minutes))
    } finally {
      await service.server.stop()
    }
  } finally {
    await emulator.stop()
  }
}

async function watch({ server, target }: RunningService, folder: string, minutes: number): Promise<Minute[]> {
  const { port, pid, inspectorPort } = server
  if (inspectorPort === null) throw new Error('workerd was started without its inspector')
  const heap = await openIsolateHeap(inspectorPort, async () => {
    await (await fetch(`${server.url}/healthz`)).text()
  })
  const calls = startMixedCalls(port, await prepareMixedCalls(target), CALLS_A_SECOND)
  const watchMinute = async (): Promise<Minute> => {
    const endsAt = performance.now() + MINUTE_MS
    const waits = await requestsUntil(() => performance.now() >= endsAt, port, health, HEALTH_PAUSE_MS)
    const residentBefore = residentBytes(pid)
    const { usedBytes, totalBytes } = await heap.measure()
    const minute: Minute = {
      calls: calls.answered(),
      residentBeforeMb: residentBefore / 1e6,
      residentMb: residentBytes(pid) / 1e6,
      heapUsedMb: usedBytes / 1e6,
      heapTotalMb: totalBytes / 1e6,
      databasesMb: (await bytesIn(folder)) / 1e6,
      healthP99Ms: percentile(waits, 0.99),
      healthMaxMs: Math.max(...waits),
    }
    console.log(rowOf(Object.entries(minute).map(([name, value]) => value.toFixed(name.endsWith('Mb') ? 1 : 0))))
    return minute
  }
  const watched: Minute[] = []
  console.log(rowOf(Object.values(COLUMNS)))
  while (watched.length < minutes && !calls.over.aborted) watched.push(await watchMinute())
  await calls.stop()
  console.log('a minute without calls:')
  await watchMinute()
  heap.close()
  return watched
}

const health = () => makeCall('', '/healthz', null, () => true)

const rowOf = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padStart(Object.values(COLUMNS)[at]?.length ?? 0)).join('  ')

/** Reads VmRSS, which Linux gives in KiB. */
const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** A file may end while the folder is read. */
async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(join(folder, 'objects'), { recursive: true })
  const sizes = files.map((file) =>
    stat(join(folder, 'objects', file)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Prints what grows over 1,000 calls. Returns 1 if the used heap does. */
function judge(watched: readonly Minute[]): 0 | 1 {
  const counted = watched.slice(Math.min(WARM_UP_MINUTES, Math.floor(watched.length / 4)))
  console.log(`\nper 1,000 calls, over the last ${counted.length} minutes:`)
  const heap = verdict('used heap', slope(counted, 'heapUsedMb'), MOST_HEAP_MB, ' MB')
  console.log(heap.line)
  console.log(`resident memory, collected: ${slope(counted, 'residentMb').toFixed(2)} MB`)
  console.log(`databases: ${slope(counted, 'databasesMb').toFixed(2)} MB`)
  return heap.holds ? 0 : 1
}

/** Returns the slope of the line of least squares, over 1,000 calls. */
function slope(minutes: readonly Minute[], measure: keyof Minute): number {
  const mean = (of: keyof Minute): number => minutes.reduce((sum, one) => sum + one[of], 0) / minutes.length
  const [meanCalls, meanValue] = [mean('calls'), mean(measure)]
  const covariance = minutes.reduce((sum, one) => sum + (one.calls - meanCalls) * (one[measure] - meanValue), 0)
  return (1000 * covariance) / minutes.reduce((sum, { calls }) => sum + (calls - meanCalls) ** 2, 0)
}
