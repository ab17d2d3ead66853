// The CPU time a process has used so far, user and system, all threads together.
import { readFileSync } from 'node:fs'

// Linux tells times of processes in hundredths of a second, whatever the kernel's own clock (USER_HZ, proc(5)).
const TICK_MICROSECONDS = 10_000

/** Microseconds, in steps of 10 ms; null on a system without Linux's /proc. */
export function cpuMicroseconds(pid: number): number | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The second field is the program's name in brackets, which may hold blanks; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS
}
