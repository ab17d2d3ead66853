// Reads a process's CPU time from /proc, for benchmarks on Linux. Elsewhere it is NaN.
import { readdirSync, readFileSync } from 'node:fs'

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

/** Returns the CPU microseconds that `work` takes. */
export async function cpuOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMicroseconds(pid)
  await work()
  return cpuMicroseconds(pid) - before
}
