// Counts an answer's share of the isolate's memory until the caller has read it. Also makes the counted buffer for its replay copy.
import type { MemoryPool, StalledCaller } from './memory-pool.ts'

export type AnswerMemory = {
  /** Sets the unread bytes in memory. Returns false if that is too much: then add no more until some are read. */
  readonly resize: (bytes: number) => boolean
  /**
   * Returns whether an answer that is read whole may grow to so many bytes. Waits up to 5 seconds for other calls to end. An
   * answer exists up to four times: as it came, as parsed, as presented, and as bytes.
   */
  readonly grow: (bytes: number) => boolean | Promise<boolean>
  /**
   * Sets the bytes that stay in memory until the answer ends, in addition to the unread ones. Returns false if there is no room,
   * after waiting up to 5 seconds for other calls to end.
   */
  readonly keep: (bytes: number) => boolean | Promise<boolean>
  /** Sets how other calls can tell if the answer is being read. Without this, the answer is never dropped for them. */
  readonly watch: (caller: StalledCaller) => void
  readonly release: () => void
}

const COPIES = 4
const POLL_MS = 50
const MOST_WAITED_MS = 5_000

/** Returns null if there is no room for another answer. */
export function openAnswerMemory({ limits, after, enter }: MemoryPool, owner: string): AnswerMemory | null {
  const holding = enter(owner, { bytes: 0, answers: 1 })
  if (holding === null) return null
  let isClosed = false
  /** The bytes that were granted. For a moment more may be in memory. */
  let granted = 0
  let kept = 0
  let unread = 0

  const countedOf = (bytes: number): number => Math.max(0, bytes - limits.answerBytes)

  async function pollUntil(isSo: () => boolean): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < MOST_WAITED_MS; waitedMs += POLL_MS) {
      await new Promise<void>((resolve) => void after(POLL_MS, resolve))
      if (isSo()) return true
    }
    return false
  }

  function claim(): boolean {
    if (isClosed) return true
    const counted = countedOf(unread + kept)
    if (counted === granted && counted === holding?.bytes()) return true
    holding?.forceResize(granted)
    const mayHold = holding?.resize(counted) === true
    if (mayHold) granted = counted
    else holding?.forceResize(counted)
    return mayHold
  }

  return {
    grow(bytes) {
      const counted = countedOf(COPIES * bytes)
      // An answer that could never fit takes nothing from the others.
      const isGranted = () => holding.resize(counted)
      return counted <= limits.ownerBytes && (isGranted() || pollUntil(isGranted))
    },
    resize(bytes) {
      unread = bytes
      return claim()
    },
    keep(bytes) {
      if (bytes === kept) return true
      kept = bytes
      return claim() || pollUntil(claim)
    },
    watch: holding.watch,
    release() {
      isClosed = true
      holding.leave()
    },
  }
}

/** A longer answer is not stored. */
const MOST_COPIED_BYTES = 1024 * 1024

export type AnswerBuffer = {
  readonly add: (pieces: Iterable<Uint8Array>) => void
  /** Returns everything that was added; null if that was too much. It stays in memory until `release`. */
  readonly bytes: () => Uint8Array<ArrayBuffer> | null
  readonly release: () => void
}

const FIRST_BYTES = 16 * 1024

/** The time since which a buffer counts as waiting: earlier than all others, so that it is dropped first. */
const EARLIEST = 0

/** While the copy is sealed, both exist for a moment. */
const SEALED_COPIES = 2

/** @param owner the organisation whose share of the memory it uses */
export function openAnswerBuffer({ enter }: MemoryPool, owner: string, most = MOST_COPIED_BYTES): AnswerBuffer {
  const holding = enter(owner, { bytes: 0, answers: 0 })
  let copy: Uint8Array<ArrayBuffer> | null = holding === null ? null : new Uint8Array(0)
  let length = 0
  let isTaken = false

  holding?.watch({ waitsSince: () => (isTaken ? null : EARLIEST), drop: () => void (copy = null) }, 0)

  function giveUp(): void {
    copy = null
    holding?.leave()
  }

  /** Returns a buffer for so many bytes; null if there is no room. */
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
