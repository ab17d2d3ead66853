// A copy of an answer's bytes, taken while they are sent: what is to be kept of it must not be read from its caller's end. It counts
// in the isolate's memory, and gives up rather than take more of it than there is: what callers wait for comes first, so that a copy
// has none of them dropped, and is dropped before any of them.
import type { MemoryPool } from './memory-pool.ts'

/** What is longer is not kept. */
export const MOST_COPIED_BYTES = 1024 * 1024

export type AnswerCopy = {
  readonly add: (pieces: Iterable<Uint8Array>) => void
  /** All that was added; null where that was too much. It stays until `release`. */
  readonly bytes: () => Uint8Array<ArrayBuffer> | null
  /** Gives its room back, for good. */
  readonly release: () => void
}

const FIRST_BYTES = 16 * 1024

/** Since when it has waited, to others: before anything that has a time. */
const LONGEST = 0

/** What is kept is sealed, and for a moment there are both. */
const COPIES = 2

/** @param owner whose share of the memory it is of */
export function openAnswerCopy({ enter }: MemoryPool, owner: string, most = MOST_COPIED_BYTES): AnswerCopy {
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
    if (bytes > most || holding?.resize(COPIES * size) !== true) return null
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
