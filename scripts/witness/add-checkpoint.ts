// What a witness answers to add-checkpoint: its checks, in the order of c2sp.org/tlog-witness.
import { createHash } from 'node:crypto'
import { isConsistent } from './consistency.ts'
import { isSignedBy, readCheckpoint, strictBase64, type LogKey } from './note.ts'
import type { WitnessState } from './state.ts'

export type Answer = { status: 200 | 400 | 403 | 404 | 409 | 422; text: string; type?: 'text/x.tlog.size' }

export type Watching = { state: WitnessState; logs: readonly LogKey[]; seconds: () => number }

/** INVARIANT: nothing here waits, so no other submission comes between what is checked and what is stored. */
export function addCheckpoint(body: string, { state, logs, seconds }: Watching): Answer {
  const submitted = readSubmission(body)
  if (submitted === null) return { status: 400, text: 'This is no submission of a checkpoint.\n' }
  const { oldSize, proof, checkpoint } = submitted
  const keys = logs.filter(({ name }) => name === checkpoint.origin)
  if (keys.length === 0) return { status: 404, text: 'This witness does not watch this log.\n' }
  if (!keys.some((key) => isSignedBy(checkpoint, key))) return { status: 403, text: 'The log has not signed this.\n' }
  if (oldSize > checkpoint.size) return { status: 400, text: 'The old size is larger than the new.\n' }
  const latest = state.latest(checkpoint.origin)
  if (oldSize !== latest.size) return { status: 409, text: `${latest.size}\n`, type: 'text/x.tlog.size' }
  const isEmptyWithLeaves = checkpoint.size === 0n && !checkpoint.root.equals(EMPTY_ROOT)
  if (isEmptyWithLeaves || !isConsistent(latest, checkpoint, proof)) {
    return { status: 422, text: 'It does not continue what this witness has cosigned.\n' }
  }
  const { size, root, text } = checkpoint
  state.advance(checkpoint.origin, { size, root })
  return { status: 200, text: state.cosign(text, seconds()) }
}

const EMPTY_ROOT = createHash('sha256').digest()

const MOST_HASHES = 63

function readSubmission(body: string) {
  const parts = /^old (?<old>0|[1-9]\d{0,18})\n(?<hashes>(?:.+\n)*)\n(?<note>[^]+)$/.exec(body)?.groups
  const hashes = (parts?.['hashes'] ?? '').split('\n').slice(0, -1).map(strictBase64)
  const proof = hashes.filter((hash) => hash?.length === 32).filter((hash) => hash !== null)
  const checkpoint = readCheckpoint(parts?.['note'] ?? '')
  const isWhole = proof.length === hashes.length && proof.length <= MOST_HASHES
  return isWhole && checkpoint !== null ? { oldSize: BigInt(parts?.['old'] ?? 0), proof, checkpoint } : null
}
