// The text of a checkpoint (c2sp.org/tlog-checkpoint): which log, how many leaves, and the root over them.
import { emptyRoot } from '../tree/merkle-hash.ts'
import { decodeBase64, encodeBase64 } from '../records/base64.ts'

export type Checkpoint = {
  /** Whose tree it is: the log’s URL without scheme. */
  readonly origin: string
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
  /** Lines that the log added. They are kept, and mean nothing here. */
  readonly extensions: readonly string[]
}

export const formatCheckpoint = ({ origin, size, root, extensions }: Checkpoint): string =>
  [origin, String(size), encodeBase64(root), ...extensions].map((line) => `${line}\n`).join('')

/** Null for any other text than `formatCheckpoint` writes: each tree has one. */
export function parseCheckpoint(text: string): Checkpoint | null {
  if (!text.endsWith('\n')) return null
  const lines = text.slice(0, -1).split('\n')
  const [origin = '', sizeText = '', rootText = '', ...extensions] = lines
  const size = parseSize(sizeText)
  const root = decodeBase64(rootText)
  if (lines.includes('') || size === null || root?.length !== 32) return null
  if (size === 0 && rootText !== encodeBase64(emptyRoot())) return null
  return { origin, size, root, extensions }
}

/** A size as checkpoints and witnesses write it: decimal, without a leading zero. Null beyond 2^53 - 1. */
export function parseSize(text: string): number | null {
  const size = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(size) ? size : null
}
