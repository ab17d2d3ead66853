// Gives the event loop a turn now and then. The runtime looks for other requests and due timers only when nothing else is ready, so
// somebody whose bytes are always ready would stop everybody else. All calls of an isolate count their work together, in bytes:
// clocks stand still while a Worker computes.
import { systemAfter } from './time.ts'

/** Some 40 ms of small reads. */
const WORK_A_TURN = 256 * 1024

/** A read counts as so many bytes beyond its own, and a request as so many. */
export const READ_WORK = 1024
export const REQUEST_WORK = 4096

let workSinceTurn = 0

export function countWork(bytes: number): void {
  workSinceTurn += bytes
}

export const isTurnDue = (): boolean => workSinceTurn > WORK_A_TURN

/** Waits for a timer of the system, because those of tests may stand still. */
export async function giveTurn(): Promise<void> {
  await new Promise<void>((resolve) => void systemAfter(0, resolve))
  workSinceTurn = 0
}
