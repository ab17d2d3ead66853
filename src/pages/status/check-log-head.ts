// Checks the public log's head in the browser with countersign-verify's own code, and reads who says to have cosigned its checkpoint.
import { parseCheckpoint } from '../../evidence/checkpoint/checkpoint.ts'
import { parseNote } from '../../evidence/checkpoint/signed-note.ts'
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../evidence/records/key-list.ts'
import { HEAD_FAULTS, verifyHead, type PublicHead } from '../../evidence/records/tree-head.ts'

/** Returns why the head is not one that a published key has signed; null if one has. */
export function findHeadFault(head: PublicHead, keys: PublishedKeyHistory): string | null {
  const list = readKeyList(keys)
  if (!list.ok) return KEY_LIST_FAULTS[list.fault]
  const verdict = verifyHead(head, { keys: [], list: list.keys })
  if (!verdict.valid) return HEAD_FAULTS[verdict.fault]
  return verdict.orgId === null ? null : 'It is the head of the log of an organisation.'
}

/** A line of a checkpoint that names a witness. Nothing in it is checked. */
export type Cosigner = { name: string; keyId: string; saidAt: Date | null }

/** `fault`: why the checkpoint contradicts the head, or cannot be read. */
export type CheckpointLines = { cosigners: readonly Cosigner[]; fault: string | null }

export function readCheckpoint(bytes: Uint8Array, head: PublicHead | null): CheckpointLines {
  const read = parseNote(bytes)
  const checkpoint = read.ok ? parseCheckpoint(read.note.text) : null
  if (!read.ok || checkpoint === null) return { cosigners: [], fault: 'The checkpoint cannot be read.' }
  const isOfHead = checkpoint.size === head?.tree_size
  const hasOtherRoot = isOfHead && checkpoint.root.some((byte, at) => byte !== byteAt(head.root_hash, at))
  return {
    cosigners: read.note.signatures
      .filter(({ name }) => name !== checkpoint.origin)
      .map(({ name, keyId, signature }) => ({ name, keyId, saidAt: timeIn(signature) })),
    fault: hasOtherRoot ? 'The checkpoint and the head have two roots of one size. Keep both: they prove it.' : null,
  }
}

const byteAt = (hex: string, at: number): number => parseInt(hex.slice(2 * at, 2 * at + 2), 16)

/**
 * The time in front of a cosignature (https://c2sp.org/tlog-cosignature), in seconds since the epoch.
 * @see https://c2sp.org/tlog-cosignature
 */
function timeIn(signature: Uint8Array): Date | null {
  if (signature.length < 8) return null
  const at = new Date(Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0)) * 1000)
  return Number.isNaN(at.getTime()) ? null : at
}
