// The share of an answer in the isolate's memory, from before its call is admitted until all of it has been read.
import type { MemoryPool, Unread } from './memory-pool.ts'

export type AnswerMemory = {
  /** Says what it holds now, and is told whether it may: if not, it takes no more until it holds less. */
  readonly resize: (bytes: number) => boolean
  /**
   * Asks if an answer that is read whole may grow to so many bytes. Waits a little if others are about to end. An answer is
   * held up to four times: as it came, as parsed, as presented, and as bytes.
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
export function openAnswerMemory({ limits, after, enter }: MemoryPool, owner: string): AnswerMemory | null {
  const holding = enter(owner, { bytes: 0, answers: 1 })
  if (holding === null) return null
  let isClosed = false
  /** The bytes that were granted. For a moment it may hold more. */
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

/** A longer answer is not kept. */
const MOST_COPIED_BYTES = 1024 * 1024

export type AnswerBuffer = {
  readonly add: (pieces: Iterable<Uint8Array>) => void
  /** All that was added; null where that was too much. It stays until `release`. */
  readonly bytes: () => Uint8Array<ArrayBuffer> | null
  /** Gives its room back, for good. */
  readonly release: () => void
}

const FIRST_BYTES = 16 * 1024

/** Since when it has waited, to others: before anything that has a time. */
const LONGEST = 0

/** While the copy is sealed, both exist for a moment. */
const SEALED_COPIES = 2

/** @param owner whose share of the memory it is of */
export function openAnswerBuffer({ enter }: MemoryPool, owner: string, most = MOST_COPIED_BYTES): AnswerBuffer {
  const holding = enter(owner, { bytes: 0, answers: 0 })
  let copy: Uint8Array<ArrayBuffer> | null = holding === null ? null : new Uint8Array(0)
  let length = 0
  let isTaken = false

  holding?.watch({ waitsSince: () => (isTaken ? null : LONGEST), drop: () => void (copy = null) }, 0)

  function giveUp(): void {
    copy = null
    holding?.leave()
  }

  /** Room for so many bytes; null where there is none. */
  function grow(kept: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> | null {
    if (bytes <= kept.byteLength) return kept
    const size = Math.min(most, Math.max(bytes, 2 * kept.byteLength, FIRST_BYTES))
    if (bytes > most || holding?.resize(SEALED_COPIES * size) !== true) return null
    const grown = new Uint8Array(size)
    grown.set(kept.subarray(0, length))
    return grown
  }

  return {
    add(pieces) {
      for (const piece of pieces) {
        if (copy === null) return
        copy = grow(copy, length + piece.byteLength)
        if (copy === null) return giveUp()
        copy.set(piece, length)
        length += piece.byteLength
      }
    },
    bytes() {
      isTaken = true
      return copy?.subarray(0, length) ?? null
    },
    release: giveUp,
  }
}
