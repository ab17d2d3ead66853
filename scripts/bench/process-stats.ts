// Reads a process's CPU time and memory from /proc and pins processes to cores, for benchmarks on Linux. Elsewhere, CPU time and
// memory are NaN.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns the CPU time so far in microseconds: user and system, all threads, and those of child processes. */
export function cpuMicroseconds(pid: number): number {
  try {
    return processNanoseconds(pid) / 1000
  } catch {
    return Number.NaN
  }
}

/** Reads the time on a CPU, the first number of each thread's `schedstat` (sched-stats.rst). */
function processNanoseconds(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    sum += orZero(() => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    sum += orZero(() => childrenNanoseconds(readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')))
  }
  return sum
}

const childrenNanoseconds = (pids: string): number =>
  Array.from(pids.matchAll(/\d+/g), ([pid]) => orZero(() => processNanoseconds(Number(pid)))).reduce(
    (sum, one) => sum + one,
    0,
  )

/** A thread or a child that has just ended has no files. */
function orZero(read: () => number): number {
  try {
    return read()
  } catch {
    return 0
  }
}

/** Returns the CPU microseconds and the milliseconds that `work` takes. */
export async function measureProcess(
  pid: number,
  work: () => Promise<unknown>,
): Promise<{ cpu: number; elapsedMs: number }> {
  const before = cpuMicroseconds(pid)
  const startedAt = performance.now()
  await work()
  return { elapsedMs: performance.now() - startedAt, cpu: cpuMicroseconds(pid) - before }
}

/** Pins servers to the first core and others to the rest. Rejects without taskset (util-linux) or with only one core. */
export async function pin(servers: readonly number[], others: readonly number[]): Promise<void> {
  const rest = `1-${availableParallelism() - 1}`
  const all = [...servers.map((pid) => ['0', pid]), ...others.map((pid) => [rest, pid])]
  await Promise.all(
    all.map(([cores, pid]) => run('taskset', ['--all-tasks', '--pid', '--cpu-list', String(cores), String(pid)])),
  )
}
