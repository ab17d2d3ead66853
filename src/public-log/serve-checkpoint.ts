// Serves the public log's newest head as a checkpoint (https://c2sp.org/tlog-checkpoint). The log's own key signs it after the
// head is stored and served. Witnesses that answer in time add cosignatures.
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { createSigner } from '../evidence/records/configured-keys.ts'
import type { Clock } from '../platform/time.ts'
import { askWitnesses, type CosigningRequest, type WitnessAnswer } from './ask-witnesses.ts'
import { formatCheckpoint, parseCheckpoint } from '../evidence/checkpoint/checkpoint.ts'
import { logSignerAt, type LogConfig } from './public-log-config.ts'
import { isLineOfKey, noteKeyFromBase64url } from '../evidence/checkpoint/note-key.ts'
import { signNote } from '../evidence/checkpoint/note-signature.ts'
import { parseNote } from '../evidence/checkpoint/signed-note.ts'
import { proveConsistencyAt } from '../tiles/proofs-from-tiles.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import type { CosignedStore } from './publishing-progress.store.ts'
import type { PublicLogFiles, ServedCheckpoint } from './public-log-files.store.ts'
import { FRESH_MS } from './sign-next-head.ts'

type Parts = {
  log: LogConfig
  files: PublicLogFiles
  tiled: TiledLog
  clock: Clock
  fetch: CosigningRequest['fetch']
  cosigned: CosignedStore
}

/** `overtaken`: another writer served a newer or larger checkpoint. */
export type CheckpointOutcome =
  | { outcome: 'fresh'; dueAt: number }
  | { outcome: 'no_log_key' | 'overtaken' }
  | { outcome: 'served'; answers: WitnessAnswer[] }

/** Signs and serves a checkpoint of `head`, unless a fresh one is served. Call it when `head` is served. Rejects if R2 fails. */
export async function serveCheckpoint(parts: Parts, head: PublicHead): Promise<CheckpointOutcome> {
  const { log, files, clock } = parts
  const seen = await files.readCheckpoint()
  if (seen !== null && isFresh(seen, head, parts)) return { outcome: 'fresh', dueAt: seen.signedAt + FRESH_MS }
  if ((sizeOf(seen) ?? 0) > head.tree_size) return { outcome: 'overtaken' }
  const signer = await logSignerAt(log, clock())
  if (signer === null) return { outcome: 'no_log_key' }
  const root = Uint8Array.fromHex(head.root_hash)
  const text = formatCheckpoint({ origin: log.origin, size: head.tree_size, root, extensions: [] })
  const signedAt = clock()
  const note = await signNote(text, signer)
  const answers = await ask(parts, head, { note, text, size: head.tree_size })
  const lines = answers.map(({ line }) => line ?? '').join('')
  const isServed = await files.replaceCheckpoint({ note: `${note}${lines}`, signedAt }, seen)
  return isServed ? { outcome: 'served', answers } : { outcome: 'overtaken' }
}

async function ask(
  { log, tiled, fetch, cosigned }: Parts,
  head: PublicHead,
  checkpoint: CosigningRequest['checkpoint'],
): Promise<WitnessAnswer[]> {
  const known = { size: head.tree_size, root: Uint8Array.fromHex(head.root_hash) }
  const consistency = async (oldSize: number) => {
    if (oldSize > head.tree_size) return null
    const { consistency_path: path } = await proveConsistencyAt(tiled, { oldSize, newSize: head.tree_size }, known)
    return path.map((hash) => Uint8Array.fromHex(hash))
  }
  const answers = await askWitnesses({
    witnesses: log.witnesses,
    checkpoint,
    consistency,
    remembered: cosigned.read(),
    fetch,
  })
  for (const { witness, size } of answers) if (size !== null) cosigned.write(witness, size)
  return answers
}

/** Returns true for a checkpoint of this tree by the current key that is neither old nor dated ahead. */
function isFresh({ note, signedAt }: ServedCheckpoint, head: PublicHead, { log, clock }: Parts): boolean {
  const age = clock() - signedAt
  return sizeOf({ note }) === head.tree_size && isSignedByCurrentKey(note, log, clock()) && age >= 0 && age < FRESH_MS
}

/** Returns true if the current key signed the note. Checkpoints by other keys are not served. */
export function isSignedByCurrentKey(note: string, { origin, keys }: LogConfig, now: number): boolean {
  const name = createSigner(keys).nameAt(now)
  const read = parseNote(new TextEncoder().encode(note))
  if (name === null || !read.ok) return false
  const key = noteKeyFromBase64url(origin, 'ed25519', name)
  return read.note.signatures.some((line) => isLineOfKey(line, key))
}

function sizeOf(seen: Pick<ServedCheckpoint, 'note'> | null): number | null {
  const read = seen && parseNote(new TextEncoder().encode(seen.note))
  return read?.ok === true ? (parseCheckpoint(read.note.text)?.size ?? null) : null
}
