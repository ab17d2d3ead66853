// Runs a benchmark's cases on every compared system, round after round, in changing order. So other work on the machine affects
// all alike. Systems are compared only within a round. Also computes medians and percentiles.
import { sendLoad, type Call, type Timing } from './send-load.ts'
import { measureProcess } from './process-stats.ts'

/** A compared system: a server and the calls that are sent to it. */
export type MeasuredSystem = { name: string; server: { pid: number; port: number }; nextCall: () => Call }

/** A case to measure. `prepare` runs before each system of each round. */
export type BenchmarkCase = {
  name: string
  connections: number
  systems: readonly MeasuredSystem[]
  prepare?: () => Promise<void>
}

/** One measurement. `cpuMicroseconds`: the server's, per request; NaN if the system does not report it. */
export type Measurement = { requestsPerSecond: number; cpuMicroseconds: number; timings: readonly Timing[] }

/** The runs of a case by the system's name, one for each round. */
export type CaseRuns = { name: string; runs: ReadonlyMap<string, Measurement[]> }

const WARM_UP_MS = 400

export async function measureCases(
  cases: readonly BenchmarkCase[],
  { rounds, durationMs }: { rounds: number; durationMs: number },
): Promise<CaseRuns[]> {
  const measured = cases.map((one) => ({
    ...one,
    runs: new Map(one.systems.map(({ name }): [string, Measurement[]] => [name, []])),
  }))
  for (const one of measured) {
    for (const system of one.systems) await runOnce(one, system, Math.min(durationMs, WARM_UP_MS))
  }
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds}\n`)
    for (const one of measured) {
      const inTurn = round % 2 === 0 ? one.systems.toReversed() : one.systems
      for (const system of inTurn) one.runs.get(system.name)?.push(await runOnce(one, system, durationMs))
    }
  }
  return measured
}

async function runOnce(
  { connections, prepare }: BenchmarkCase,
  { server, nextCall }: MeasuredSystem,
  durationMs: number,
): Promise<Measurement> {
  await prepare?.()
  let timings: readonly Timing[] = []
  const { cpu, elapsedMs } = await measureProcess(server.pid, async () => {
    timings = await sendLoad({ port: server.port, connections, durationMs, nextCall })
  })
  return {
    requestsPerSecond: (timings.length * 1000) / elapsedMs,
    cpuMicroseconds: cpu / timings.length,
    timings,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
}
