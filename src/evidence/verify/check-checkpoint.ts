// Checks a checkpoint: its log's signature, its witnesses, its age, and that it continues an older checkpoint.
import { bytesToHex } from '@noble/hashes/utils.js'
import { isSameBytes } from '../../platform/bytes.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { Checkpoint } from '../checkpoint/checkpoint.ts'
import type { NoteKey } from '../checkpoint/note-key.ts'
import {
  CHECKPOINT_FAULTS,
  verifyCheckpoint,
  type CheckpointVerdict,
  type WitnessPolicy,
} from '../checkpoint/witness-policy.ts'
import { PROOF_FAULTS, verifyConsistency } from '../tree/verify-proof.ts'
import { toPrintable } from './printable.ts'
import { failed, faultOf, judged, passed, NOT_PROVEN, unproven, type Finding } from './verification-finding.ts'
import { isFresh, judgeAge, timeOf, type Freshness } from './freshness.ts'

/** Evidence that a log only grew. `rootsOf`: the roots for both sizes, from one set of tiles; null if tiles are missing. */
export type Growth =
  | { readonly shownBy: 'nothing' }
  | { readonly shownBy: 'proof'; readonly proof: JsonObject }
  | {
      readonly shownBy: 'tiles'
      readonly rootsOf: (sizes: readonly [number, number]) => Promise<readonly [Uint8Array, Uint8Array] | null>
    }

export type CheckpointOptions = {
  readonly policy: WitnessPolicy
  /** An older checkpoint of the log, and the evidence that joins the two. */
  readonly older: { readonly bytes: Uint8Array; readonly growth: Growth } | null
  /** Null for any age. */
  readonly freshness: Freshness | null
}

export async function checkCheckpoint(
  bytes: Uint8Array,
  { policy, older, freshness }: CheckpointOptions,
): Promise<Finding[]> {
  const newest = judge('checkpoint', bytes, policy, freshness)
  if (newest.checkpoint === null) return newest.findings
  if (older === null) return newest.findings
  // The caller judged the older one's witnesses when it saved that checkpoint.
  const olderResult = judge('older checkpoint', older.bytes, { ...policy, witnesses: [], quorum: 0 }, null)
  const findings = [...newest.findings, ...olderResult.findings]
  if (olderResult.checkpoint === null) return findings
  return [...findings, await checkGrowth(olderResult.checkpoint, newest.checkpoint, older.growth)]
}

function judge(
  kind: 'checkpoint' | 'older checkpoint',
  bytes: Uint8Array,
  policy: WitnessPolicy,
  freshness: Freshness | null,
): { findings: Finding[]; checkpoint: Checkpoint | null } {
  const verdict = verifyCheckpoint(bytes, policy)
  if (!verdict.valid) {
    const finding = judged(kind, toPrintable(policy.log[0]?.name), faultOf(CHECKPOINT_FAULTS, verdict.fault))
    return { findings: [finding], checkpoint: null }
  }
  const { checkpoint } = verdict
  const witnessed = policy.witnesses.length === 0 ? [] : [judgeWitnesses(verdict, policy, freshness)]
  const isAged = freshness !== null && policy.witnesses.length === 0
  // The log's own signature has no time.
  const aged = isAged ? [judgeAge(`${checkpoint.size} leaves`, null, freshness)] : []
  return { findings: [nameSigners(kind, verdict, policy), ...witnessed, ...aged], checkpoint }
}

type ValidCheckpoint = Extract<CheckpointVerdict, { valid: true }>

const idsOf = (keys: readonly NoteKey[]): string => keys.map(({ keyId }) => keyId).join(', ')

function nameSigners(
  kind: 'checkpoint' | 'older checkpoint',
  { checkpoint: { origin, size }, signed }: ValidCheckpoint,
  { log }: WitnessPolicy,
): Finding {
  const signers = log.filter((key) => signed.some((one) => one.key === key))
  const others = log.filter((key) => !signers.includes(key))
  const subjectParts = [
    `${toPrintable(origin)}, ${size} leaves`,
    ...(log.length === 1 ? [] : [`signed by ${idsOf(signers)}`]),
    ...(others.length === 0 ? [] : [`not by ${idsOf(others)}`]),
  ]
  return passed(kind, subjectParts.join('  '), { key_source: 'pinned' })
}

function judgeWitnesses(
  { cosigned, signed }: ValidCheckpoint,
  { witnesses, quorum }: WitnessPolicy,
  freshness: Freshness | null,
): Finding {
  const counted = cosigned.filter(({ seconds }) => freshness === null || isFresh(seconds, freshness))
  const names = cosigned.map(({ name, seconds }) => `${toPrintable(name)} ${toPrintable(timeOf(seconds))}`)
  const others = witnesses.filter((key) => signed.every((one) => one.key !== key))
  const missing =
    others.length === 0
      ? []
      : [`not by ${others.map(({ name, keyId }) => `${toPrintable(name)} (${keyId})`).join(', ')}`]
  const subject = [`${counted.length} of at least ${quorum}`, ...names, ...missing].join('  ')
  if (counted.length >= quorum) return passed('witnesses', subject)
  if (cosigned.length >= quorum) {
    const reason = 'Fewer of the witnesses you trust have cosigned it within --max-age than you ask for.'
    return failed('witnesses', subject, 'too_old', reason)
  }
  return judged('witnesses', subject, unproven('Fewer of the witnesses you trust have cosigned it than you ask for.'))
}

async function checkGrowth(older: Checkpoint, newer: Checkpoint, growth: Growth): Promise<Finding> {
  const subject = `from ${older.size} to ${newer.size} leaves`
  const refuse = (code: string, reason: string): Finding => failed('consistency', subject, code, reason)
  if (newer.size < older.size) return refuse('older_is_larger', 'The checkpoint given as older is of a larger tree.')
  if (newer.size === older.size) {
    if (isSameBytes(older.root, newer.root)) return passed('consistency', subject)
    return refuse('equivocation', 'The log has signed two roots of one size. Keep both checkpoints: they prove it.')
  }
  // Every tree continues the empty tree.
  if (older.size === 0) return passed('consistency', subject)
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
      ? passed('consistency', subject)
      : refuse('proof_of_other_trees', 'The proof is not about the trees of these two checkpoints.')
  }

  function judgeRoots(roots: readonly [Uint8Array, Uint8Array] | null): Finding {
    if (roots === null) return refuse(NOT_PROVEN, 'A tile that it takes is missing or cut.')
    if (isSameBytes(roots[0], older.root) && isSameBytes(roots[1], newer.root)) return passed('consistency', subject)
    return refuse('tiles_of_other_trees', 'The tiles do not have the roots of these two checkpoints.')
  }
}
