// The memory a process has resident, now and at its highest.
import { readFileSync, writeFileSync } from 'node:fs'

export type Resident = { nowBytes: number; peakBytes: number }

/** Null on a system without Linux's /proc. */
export function residentMemory(pid: number): Resident | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
    return { nowBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') }
  } catch {
    return null
  }
}

/** The peak starts again from what is resident now (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
