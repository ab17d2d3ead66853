// The CPU time a process has used so far, user and system, and the memory it has resident.
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Microseconds, all threads together; null on a system without Linux's /proc. The scheduler's own account of each thread,
 * in nanoseconds: a thread that ends takes its time with it, but those of a server stay.
 */
export function cpuMicroseconds(pid: number): number | null {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => threadNanoseconds(pid, thread))
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000
  } catch {
    return null
  }
}

/** The first number is the time on a CPU (sched-stats.rst). 0 for a thread that has just ended. */
function threadNanoseconds(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}
