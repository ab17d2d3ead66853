// Whose word a checkpoint is to be: keys of the log and of witnesses as their owners publish them, and how many witnesses are enough.
import { parseVkey } from '../checkpoint/note-key.ts'
import { findPolicyFault, POLICY_FAULTS, type WitnessPolicy } from '../checkpoint/witness-policy.ts'

type Given = {
  log: readonly string[]
  witnesses: readonly string[]
  /** Null for all of them. */
  quorum: number | null
}

/** A sentence where it is no policy. */
export function readPolicy({ log, witnesses, quorum }: Given): WitnessPolicy | string {
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
