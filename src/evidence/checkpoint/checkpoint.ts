// Writes and reads the text of a checkpoint (https://c2sp.org/tlog-checkpoint): the log, its number of leaves, their root.
import { emptyRoot } from '../tree/merkle-hash.ts'
import { decodeBase64, encodeBase64 } from '../records/base64.ts'
import { parseNote } from './signed-note.ts'

export type Checkpoint = {
  /** The log’s URL without the scheme. */
  readonly origin: string
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
  /** Lines that the log added. They are stored and not interpreted. */
  readonly extensions: readonly string[]
}

/** @see https://c2sp.org/tlog-checkpoint */
export const formatCheckpoint = ({ origin, size, root, extensions }: Checkpoint): string =>
  [origin, String(size), encodeBase64(root), ...extensions].map((line) => `${line}\n`).join('')

/**
 * Returns null for any text that `formatCheckpoint` would not write: each tree has one text.
 * @see https://c2sp.org/tlog-checkpoint
 */
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

/** Reads the size in checkpoints and witnesses' answers: decimal, no leading zero. Returns null beyond 2^53 - 1. */
export function parseSize(text: string): number | null {
  const size = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(size) ? size : null
}

/** Returns true for a signed note whose text is a checkpoint. */
export function isCheckpoint(bytes: Uint8Array): boolean {
  const read = parseNote(bytes)
  return read.ok && parseCheckpoint(read.note.text) !== null
}
