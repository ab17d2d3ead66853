// Reads and checks a witness policy, and verifies a checkpoint under it: its log must have signed the checkpoint, and enough
// witnesses must have cosigned it.
import { bytesToHex } from '@noble/hashes/utils.js'
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import { isLineOfKey, noteKey, type NoteKey, parseVkey } from './note-key.ts'
import { verifySignature, type VerifiedSignature, verifyNote } from './note-signature.ts'
import { NOTE_FAULTS, parseNote, type Note } from './signed-note.ts'

export type WitnessPolicy = {
  /** The log's keys, all under one name: the origin of its checkpoints. One of them must have signed. */
  readonly log: readonly NoteKey[]
  readonly witnesses: readonly NoteKey[]
  readonly quorum: number
}

export const POLICY_FAULTS = {
  no_log_key: 'No key of the log is given.',
  several_logs: 'The keys given for the log have several names.',
  not_a_log_key: 'A key given for the log is the key of a witness.',
  not_a_witness_key: 'A key given for a witness is the key of a log.',
  witness_twice: 'One key is given twice, or under two names.',
  witness_of_own_log: 'A key given for a witness has the name of the log, which is not its own witness.',
  quorum_unreachable: 'The quorum is larger than the number of witnesses.',
} as const

/**
 * SECURITY: a witness's signature does not cover its name, so one key under two names would count twice. A log must not
 * be its own witness.
 */
export function findPolicyFault({ log, witnesses, quorum }: WitnessPolicy): keyof typeof POLICY_FAULTS | null {
  if (log.length === 0) return 'no_log_key'
  if (new Set(log.map(({ name }) => name)).size > 1) return 'several_logs'
  if (log.some(({ type }) => type === 'cosignature')) return 'not_a_log_key'
  if (witnesses.some(({ type }) => type === 'ed25519')) return 'not_a_witness_key'
  const keys = [...log, ...witnesses].map(({ publicKey }) => bytesToHex(publicKey))
  if (new Set(keys).size !== keys.length) return 'witness_twice'
  const names = new Set(witnesses.map(({ name }) => name))
  if (log.some(({ name }) => names.has(name))) return 'witness_of_own_log'
  return quorum > names.size ? 'quorum_unreachable' : null
}

export const CHECKPOINT_FAULTS = {
  ...NOTE_FAULTS,
  not_a_checkpoint: 'Its text is no checkpoint: an origin, a size and a root.',
  other_origin: 'It is a checkpoint of another log than the key’s.',
  signature_wrong: 'A line of a known key is not its signature, which spoils the whole checkpoint.',
  log_signature_missing: 'No key of the log has signed it.',
  log_is_witness: 'A key given for a witness has signed it as the log, which is not its own witness.',
} as const

export type Cosignature = { readonly name: string; readonly seconds: number }

export type CheckpointVerdict =
  | {
      readonly valid: true
      readonly checkpoint: Checkpoint
      readonly signed: readonly VerifiedSignature[]
      readonly cosigned: readonly Cosignature[]
      readonly hasQuorum: boolean
    }
  | { readonly valid: false; readonly fault: keyof typeof CHECKPOINT_FAULTS }

/** Verifies a checkpoint under a policy that has no faults. @see https://c2sp.org/tlog-cosignature */
export function verifyCheckpoint(bytes: Uint8Array, { log, witnesses, quorum }: WitnessPolicy): CheckpointVerdict {
  const read = parseNote(bytes)
  if (!read.ok) return { valid: false, fault: read.fault }
  const checkpoint = parseCheckpoint(read.note.text)
  if (checkpoint === null) return { valid: false, fault: 'not_a_checkpoint' }
  if (log.every(({ name }) => name !== checkpoint.origin)) return { valid: false, fault: 'other_origin' }
  const verified = verifyNote(read.note, [...log, ...witnesses])
  if (verified === null) return { valid: false, fault: 'signature_wrong' }
  if (!verified.some(({ key }) => log.includes(key))) return { valid: false, fault: 'log_signature_missing' }
  const isOwnWitness = witnesses.some((key) => hasSignedAsLog(key, checkpoint.origin, read.note))
  if (isOwnWitness) return { valid: false, fault: 'log_is_witness' }
  const cosigned = newestOfEach(verified.filter(({ key }) => witnesses.includes(key)))
  return { valid: true, checkpoint, signed: verified, cosigned, hasQuorum: cosigned.length >= quorum }
}

/** SECURITY: a log with two keys could name one of them as a witness under any name. */
function hasSignedAsLog({ publicKey }: NoteKey, origin: string, { text, signatures }: Note): boolean {
  const asLog = noteKey(origin, 'ed25519', publicKey)
  return signatures.some((line) => isLineOfKey(line, asLog) && verifySignature(asLog, text, line.signature) !== null)
}

function newestOfEach(cosignatures: readonly VerifiedSignature[]): Cosignature[] {
  const newest = new Map<string, number>()
  for (const { key, seconds } of cosignatures) {
    newest.set(key.name, Math.max(seconds ?? 0, newest.get(key.name) ?? 0))
  }
  return [...newest].map(([name, seconds]) => ({ name, seconds }))
}

type PolicyTexts = {
  log: readonly string[]
  witnesses: readonly string[]
  /** Null requires all of them. */
  quorum: number | null
}

/** Reads a policy from vkeys, as their owners publish them. Returns a sentence for people if it has a fault. */
export function readWitnessPolicy({ log, witnesses, quorum }: PolicyTexts): WitnessPolicy | string {
  const [logKeys, known] = [readKeys(log), readKeys(witnesses)]
  if (logKeys === null || known === null) return 'A vkey is NAME+ID+KEY, as its owner publishes it.'
  const policy = {
    log: logKeys,
    witnesses: known,
    quorum: quorum ?? new Set(known.map(({ name }) => name)).size,
  }
  const fault = findPolicyFault(policy)
  return fault === null ? policy : POLICY_FAULTS[fault]
}

function readKeys(texts: readonly string[]) {
  const keys = texts.map(parseVkey).filter((key) => key !== null)
  return keys.length === texts.length ? keys : null
}
