// The place of an answer in the isolate's memory: from before its call is admitted until all of it has been read.
import type { MemoryPool, Unread } from './memory-pool.ts'

export type AnswerPlace = {
  /** Says what it holds now, and is told whether it may: if not, it takes no more until it holds less. */
  readonly resize: (bytes: number) => boolean
  /**
   * Whether an answer that is read whole may grow to so many bytes; it waits a little where others are about to be gone. It
   * is held up to four times: as it came, as what it means, as what is made of that, and as the bytes of it.
   */
  readonly grow: (bytes: number) => boolean | Promise<boolean>
  /**
   * Says what is kept of it until its end, beside what it holds otherwise. False where there is no room for that; it waits
   * a little where others are about to be gone.
   */
  readonly keep: (bytes: number) => boolean | Promise<boolean>
  /** Says how it can be told whether it is being read. Without that it never gives way. */
  readonly watch: (unread: Unread) => void
  /** Gives the room back, for good. */
  readonly release: () => void
}

const COPIES = 4
const LOOK_MS = 50
const MOST_WAITED_MS = 5_000

/** null where there is no room for another answer. */
export function openAnswerPlace({ limits, after, enter }: MemoryPool, owner: string): AnswerPlace | null {
  const holding = enter(owner, { bytes: 0, answers: 1 })
  if (holding === null) return null
  let isClosed = false
  /** What it holds with leave: it may hold more for a moment. */
  let granted = 0
  let kept = 0
  let unread = 0

  const countedOf = (bytes: number): number => Math.max(0, bytes - limits.answerBytes)

  async function isSoLater(isSo: () => boolean): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < MOST_WAITED_MS; waitedMs += LOOK_MS) {
      await new Promise<void>((resolve) => void after(LOOK_MS, resolve))
      if (isSo()) return true
    }
    return false
  }

  function claim(): boolean {
    if (isClosed) return true
    const counted = countedOf(unread + kept)
    if (counted === granted && counted === holding?.bytes()) return true
    holding?.overdraw(granted)
    const mayHold = holding?.resize(counted) === true
    if (mayHold) granted = counted
    else holding?.overdraw(counted)
    return mayHold
  }

  return {
    grow(bytes) {
      const counted = countedOf(COPIES * bytes)
      // One that could never fit takes nothing from the others.
      const isGranted = () => holding.resize(counted)
      return counted <= limits.ownerBytes && (isGranted() || isSoLater(isGranted))
    },
    resize(bytes) {
      unread = bytes
      return claim()
    },
    keep(bytes) {
      if (bytes === kept) return true
      kept = bytes
      return claim() || isSoLater(claim)
    },
    watch: holding.watch,
    release() {
      isClosed = true
      holding.leave()
    },
  }
}
