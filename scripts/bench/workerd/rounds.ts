// Measures several cases side by side: every round runs each of them once, so that what else the machine does falls on all
// alike, and a case is compared with another of its own round.
import { cpuMicroseconds } from './cpu-time.ts'
import { sendLoad, type Call, type Timing } from './load.ts'
import type { Server } from './server.ts'

export type Case = { name: string; server: Server; nextCall: () => Call }

/** One run. `cpuMicroseconds` is the server's, by request; null where the system does not tell it. */
export type Run = { requestsPerSecond: number; cpuMicroseconds: number | null; timings: readonly Timing[] }

/** The runs of a case at a number of connections, one a round. */
export type Measured = { name: string; connections: number; runs: Run[] }

export type RoundOptions = { rounds: number; durationMs: number; connections: readonly number[] }

export async function measureRounds(cases: readonly Case[], options: RoundOptions): Promise<Measured[]> {
  const { rounds, durationMs, connections } = options
  const measured = cases.flatMap(({ name }) =>
    connections.map((count): Measured => ({ name, connections: count, runs: [] })),
  )
  for (const { server, nextCall } of cases) {
    await measureRun(server, { nextCall, connections: Math.max(...connections), durationMs })
  }
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds}\n`)
    for (const { name, server, nextCall } of cases) {
      for (const count of connections) {
        const run = await measureRun(server, { nextCall, connections: count, durationMs })
        measured.find((other) => other.name === name && other.connections === count)?.runs.push(run)
      }
    }
  }
  return measured
}

export async function measureRun(
  { pid, port }: Pick<Server, 'pid' | 'port'>,
  load: { nextCall: () => Call; connections: number; durationMs: number },
): Promise<Run> {
  const before = cpuMicroseconds(pid)
  const { timings, elapsedMs } = await sendLoad({ port, ...load })
  const after = cpuMicroseconds(pid)
  return {
    requestsPerSecond: (timings.length * 1000) / elapsedMs,
    cpuMicroseconds: before === null || after === null ? null : (after - before) / timings.length,
    timings,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median over the rounds of what a request of one costs beside a request of the other; null where unknown. */
export function costRatio(one: Measured, other: Measured): number | null {
  const ratios = one.runs.map(
    (run, round) => (run.cpuMicroseconds ?? Number.NaN) / (other.runs[round]?.cpuMicroseconds ?? Number.NaN),
  )
  const ratio = median(ratios)
  return Number.isNaN(ratio) ? null : ratio
}
