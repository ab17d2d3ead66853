// The clock of the Worker that fills the year. Turns are synchronous, so that each of them has the time that it is to have, and
// whatever else runs in this Worker has the true one.

const trueTime = Date.now
let invented: number | null = null

Date.now = () => invented ?? trueTime()

/** From now on, for whoever asks; null: the true one. */
export function setTime(time: number | null): void {
  invented = time
}

/** What `work` does before it first waits for anything. */
export function atTime<T>(time: number, work: () => T): T {
  const before = invented
  invented = time
  try {
    return work()
  } finally {
    invented = before
  }
}
