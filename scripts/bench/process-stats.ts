// Reads a process's CPU time and memory from /proc and pins processes to cores, for benchmarks on Linux. Elsewhere, CPU time and
// memory are NaN.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns the CPU time so far in microseconds: user and system, all threads. */
export function cpuMicroseconds(pid: number): number {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => threadNanoseconds(pid, thread))
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000
  } catch {
    return Number.NaN
  }
}

/** Returns the first number of the file, the time on a CPU (sched-stats.rst). Returns 0 for a thread that has just ended. */
function threadNanoseconds(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
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

/** Returns resident bytes: `VmRSS` now, `VmHWM` at their highest. */
export function residentBytes(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

/** Resets `VmHWM`, the highest resident bytes, to the current ones (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Pins servers to the first core and others to the rest. Rejects without taskset (util-linux) or with only one core. */
export async function pin(servers: readonly number[], others: readonly number[]): Promise<void> {
  const rest = `1-${availableParallelism() - 1}`
  const all = [...servers.map((pid) => ['0', pid]), ...others.map((pid) => [rest, pid])]
  await Promise.all(
    all.map(([cores, pid]) => run('taskset', ['--all-tasks', '--pid', '--cpu-list', String(cores), String(pid)])),
  )
}
