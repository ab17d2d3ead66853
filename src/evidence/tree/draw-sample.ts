// Draws the sample of log entries that the compliance checklist reads again (form `sample-1`). Everybody who has its three numbers
// draws the same positions.
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Sha256 } from './merkle-hash.ts'

const RANGES = 20
const ENTRIES_A_RANGE = 10
/** Bytes of a hash that become a number. A number of six bytes is exact. */
const NUMBER_BYTES = 6

/**
 * `seed`: 64 hexadecimal digits. `first`: the first position that may be drawn. `treeSize`: the number of entries in the log.
 */
export type SampleDraw = { readonly seed: string; readonly first: number; readonly treeSize: number }

/**
 * Returns ranges of positions, in ascending order; `before` is not included. All entries if there are few. Else the entries are
 * cut into 20 parts of the same length, and in part i a range of 10 begins at u mod length: u is the first six bytes (big-endian) of
 * SHA-256(seed ‖ i), with the seed's 32 bytes and i as one byte.
 */
export function drawSample({ seed, first, treeSize }: SampleDraw, sha256: Sha256): { from: number; before: number }[] {
  const count = Math.max(0, treeSize - first)
  const isWhole = count <= RANGES * ENTRIES_A_RANGE
  const starts = isWhole
    ? Array.from({ length: Math.ceil(count / ENTRIES_A_RANGE) }, (_, at) => first + at * ENTRIES_A_RANGE)
    : Array.from({ length: RANGES }, (_, part) => {
        const [low, next] = [part, part + 1].map((at) => first + Math.floor((count * at) / RANGES))
        if (low === undefined || next === undefined) throw new TypeError('a part has two ends')
        return Math.min(low + (numberOf(seed, part, sha256) % (next - low)), treeSize - ENTRIES_A_RANGE)
      })
  return starts.map((from) => ({ from, before: Math.min(from + ENTRIES_A_RANGE, treeSize) }))
}

function numberOf(seed: string, part: number, sha256: Sha256): number {
  const hash = sha256(new Uint8Array([...hexToBytes(seed), part]))
  return hash.subarray(0, NUMBER_BYTES).reduce((sum, byte) => sum * 256 + byte, 0)
}
