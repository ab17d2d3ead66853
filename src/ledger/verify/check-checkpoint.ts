// Checks a checkpoint: whose log it is, which witnesses have cosigned it, and whether it continues an older one.
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isSameBytes } from '../../platform/same-bytes.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { readJsonObject } from '../../attestation/read-json.ts'
import { parseCheckpoint, type Checkpoint } from '../checkpoint/checkpoint.ts'
import { parseNote } from '../checkpoint/signed-note.ts'
import { parseTimestampedCheckpoint } from '../timestamp/timestamped-checkpoint.ts'
import { CHECKPOINT_FAULTS, verifyCheckpoint, type Cosigned, type WitnessPolicy } from '../checkpoint/witness-policy.ts'
import { PROOF_FAULTS, verifyConsistency } from '../proof.ts'
import { failed, found, NOT_PROVEN, plain, type Finding } from './finding.ts'

export function isCheckpoint(bytes: Uint8Array): boolean {
  const read = parseNote(bytes)
  return read.ok && parseCheckpoint(read.note.text) !== null
}

/** The checkpoint in a timestamped one; null for anything else. */
export function stampedNote(bytes: Uint8Array): Uint8Array | null {
  const read = readJsonObject(bytes)
  const stamped = read.readable ? parseTimestampedCheckpoint(read.object) : null
  return stamped && utf8ToBytes(stamped.checkpoint)
}

/** What shows that a log has only grown. `roots`: of both sizes, made from one set of tiles; null where tiles are missing. */
export type Growth =
  | { readonly shownBy: 'nothing' }
  | { readonly shownBy: 'proof'; readonly proof: JsonObject }
  | {
      readonly shownBy: 'tiles'
      readonly rootsOf: (sizes: readonly [number, number]) => Promise<readonly [Uint8Array, Uint8Array] | null>
    }

export type CheckpointAgainst = {
  readonly policy: WitnessPolicy
  /** An older checkpoint of the log, and what joins the two. */
  readonly older: { readonly bytes: Uint8Array; readonly growth: Growth } | null
}

export async function checkCheckpoint(bytes: Uint8Array, { policy, older }: CheckpointAgainst): Promise<Finding[]> {
  const newest = judge('checkpoint', bytes, policy)
  if (newest.checkpoint === null) return newest.findings
  if (older === null) return newest.findings
  // Who kept it judged its witnesses then.
  const kept = judge('older checkpoint', older.bytes, { ...policy, witnesses: [], quorum: 0 })
  const findings = [...newest.findings, ...kept.findings]
  if (kept.checkpoint === null) return findings
  return [...findings, await checkGrowth(kept.checkpoint, newest.checkpoint, older.growth)]
}

type Judged = { findings: Finding[]; checkpoint: Checkpoint | null }

function judge(kind: 'checkpoint' | 'older checkpoint', bytes: Uint8Array, policy: WitnessPolicy): Judged {
  const verdict = verifyCheckpoint(bytes, policy)
  if (!verdict.valid) {
    const origin = policy.log[0]?.name
    return {
      findings: [failed(kind, plain(origin), verdict.fault, CHECKPOINT_FAULTS[verdict.fault])],
      checkpoint: null,
    }
  }
  const { checkpoint, cosigned, hasQuorum } = verdict
  const subject = `${plain(checkpoint.origin)}, ${checkpoint.size} leaves`
  const signed = found(kind, subject, { key_source: 'pinned' })
  const witnessed = policy.witnesses.length === 0 ? [] : [judgeWitnesses(cosigned, hasQuorum, policy)]
  return { findings: [signed, ...witnessed], checkpoint }
}

function judgeWitnesses(cosigned: readonly Cosigned[], hasQuorum: boolean, { quorum }: WitnessPolicy): Finding {
  const names = cosigned.map(({ name, seconds }) => `${plain(name)} ${plain(timeOf(seconds))}`)
  const subject = [`${cosigned.length} of at least ${quorum}`, ...names].join('  ')
  if (hasQuorum) return found('witnesses', subject)
  return failed('witnesses', subject, NOT_PROVEN, 'Fewer of the witnesses you trust have cosigned it than you ask for.')
}

/** A time of 64 bits can lie beyond what a date can be. */
function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? `second ${seconds}` : time.toISOString().replace('.000Z', 'Z')
}

async function checkGrowth(older: Checkpoint, newer: Checkpoint, growth: Growth): Promise<Finding> {
  const subject = `from ${older.size} to ${newer.size} leaves`
  const refuse = (code: string, reason: string): Finding => failed('consistency', subject, code, reason)
  if (newer.size < older.size) return refuse('older_is_larger', 'The checkpoint given as older is of a larger tree.')
  if (newer.size === older.size) {
    if (isSameBytes(older.root, newer.root)) return found('consistency', subject)
    return refuse('equivocation', 'The log has signed two roots of one size. Keep both checkpoints: they prove it.')
  }
  // Whatever tree continues the empty one.
  if (older.size === 0) return found('consistency', subject)
  switch (growth.shownBy) {
    case 'nothing':
      return refuse(NOT_PROVEN, 'It needs --proof or --tiles.')
    case 'proof':
      return judgeProof(growth.proof)
    case 'tiles':
      return judgeRoots(await growth.rootsOf([older.size, newer.size]))
  }

  function judgeProof(proof: JsonObject): Finding {
    const verdict = verifyConsistency(proof)
    if (!verdict.valid) return refuse(verdict.fault, PROOF_FAULTS[verdict.fault])
    const { old_size, old_root, new_size, new_root } = verdict.proof
    const isOfBoth =
      old_size === older.size &&
      new_size === newer.size &&
      old_root === bytesToHex(older.root) &&
      new_root === bytesToHex(newer.root)
    return isOfBoth
      ? found('consistency', subject)
      : refuse('proof_of_other_trees', 'The proof is not about the trees of these two checkpoints.')
  }

  function judgeRoots(roots: readonly [Uint8Array, Uint8Array] | null): Finding {
    if (roots === null) return refuse(NOT_PROVEN, 'A tile that it takes is missing or cut.')
    if (isSameBytes(roots[0], older.root) && isSameBytes(roots[1], newer.root)) return found('consistency', subject)
    return refuse('tiles_of_other_trees', 'The tiles do not have the roots of these two checkpoints.')
  }
}
