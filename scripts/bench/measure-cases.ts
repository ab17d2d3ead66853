// Runs a benchmark's cases on every compared system, request by request in random order, so that other work on the machine affects
// all alike.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../seeded-random.ts'
import { createAgent, send, type Call, type Timing } from './send-load.ts'
import { cpuMicroseconds } from './process-stats.ts'

/** A compared system: a server and the calls that are sent to it. */
export type MeasuredSystem = { name: string; server: { pid: number; port: number }; nextCall: () => Call }

/** A case to measure. `prepare` runs before the calls of each round. */
export type BenchmarkCase = {
  name: string
  connections: number
  systems: readonly MeasuredSystem[]
  prepare?: () => Promise<void>
}

/** A run of a system. `cpuMicroseconds`: all that its server took; NaN if the operating system does not report it. */
export type Measurement = { elapsedMs: number; cpuMicroseconds: number; timings: readonly Timing[] }

/** The runs of a case by the system's name, one for each round. */
export type CaseRuns = { name: string; runs: ReadonlyMap<string, Measurement[]> }

type Rounds = { rounds: number; durationMs: number }

/**
 * For how long calls are sent before the first round. The object's alarms do a call's last work up to 30 seconds after it, so that
 * afterwards each round does as much of that work as its own calls leave. At most as long as two rounds.
 */
const WARM_UP_MS = 35_000

const withoutRuns = (one: BenchmarkCase) => ({
  ...one,
  runs: new Map(one.systems.map(({ name }): [string, Measurement[]] => [name, []])),
})

/**
 * Sends each system one call, or as many at once as there are connections, in a new random order each time. The CPU is that of the
 * whole round, so that work after a call counts for its own system. All systems get the same number of calls in a round.
 */
export async function measureCases(
  cases: readonly BenchmarkCase[],
  { rounds, durationMs }: Rounds,
): Promise<CaseRuns[]> {
  const measured = cases.map(withoutRuns)
  const { shuffle } = createRandom(SEED)
  for (const one of measured) {
    process.stderr.write(`${one.name}\n`)
    await takeTurns(one, shuffle, Math.min(WARM_UP_MS, 2 * durationMs))
    for (let round = 1; round <= rounds; round++) {
      for (const [name, run] of await takeTurns(one, shuffle, durationMs)) one.runs.get(name)?.push(run)
    }
  }
  return measured
}

const SEED = 1
/** A pause after each turn, so that a server has ended its call when the next one gets its own. */
const PAUSE_MS = 5

async function takeTurns(
  { connections, prepare, systems }: BenchmarkCase,
  shuffle: <T>(items: readonly T[]) => T[],
  durationMs: number,
): Promise<Array<[name: string, run: Measurement]>> {
  await prepare?.()
  const agent = createAgent()
  const timed = systems.map((system) => ({ ...system, timings: [] as Timing[] }))
  const cpuNow = (): number[] => systems.map(({ server }) => cpuMicroseconds(server.pid))
  const before = cpuNow()
  const startedAt = performance.now()
  do {
    for (const { server, nextCall, timings } of shuffle(timed)) {
      const calls = Array.from({ length: connections }, () => send(agent, server.port, nextCall()))
      for (const { timing } of await Promise.all(calls)) timings.push(timing)
      await sleep(PAUSE_MS)
    }
  } while (performance.now() - startedAt < durationMs)
  const elapsedMs = performance.now() - startedAt
  const after = cpuNow()
  agent.destroy()
  return timed.map(({ name, timings }, at) => [
    name,
    { elapsedMs, cpuMicroseconds: (after[at] ?? Number.NaN) - (before[at] ?? Number.NaN), timings },
  ])
}
