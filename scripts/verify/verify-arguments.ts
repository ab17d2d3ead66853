// Reads the command line of countersign-verify, and refuses options that cannot be combined.
import { READING_PROFILE } from '../../src/evidence/records/reading-words.ts'
import { PUBLIC_KEY_BYTES } from '../../src/evidence/records/ed25519.ts'
import { decodeExactly } from '../../src/evidence/records/verify-record.ts'
import { type WitnessPolicy, readWitnessPolicy } from '../../src/evidence/checkpoint/witness-policy.ts'
import {
  DOCUMENT_KINDS,
  isDocumentKind,
  type DocumentKind,
  PROFILES,
  type Profile,
} from '../../src/evidence/verify/document-kind.ts'
import { MAX_AGE_FORM, parseMaxAge } from '../../src/evidence/verify/freshness.ts'
import { readCommandLine, UsageError } from '../command-line.ts'

export const HELP = `Usage: node countersign-verify.mjs FILE|URL|- [options]

Checks the gateway's signed records, proofs, heads and checkpoints with keys that you trust.

It sends nothing and fetches no key.

  --key KEY          a public key you trust, in base64url; repeatable
  --keys FILE        a saved answer of /v1/attestation/keys; each key counts for its time only
  --integrity-only   trusts no key and checks only for changes; never exits with 0
  --request FILE     checks that the record is about this JSON request
  --proof FILE       checks that the record is in a log, by this proof; its head may be beside it
  --head FILE        a signed head for the proof; repeatable
  --answer FILE      the caller's copy of a bundle's answer: its JSON, or the events of its stream
  --as KIND          what FILE is (default: found from its members)
  --profile NAME     accept-1: FILE is a person's decision about a record (ACCEPT-v1);
                     reading-1: the signed reading of a letter, or the answer that has it;
                     outcome-1: what was chosen after it
  --subject FILE     the record that a decision, or the reading that a choice must be about
  --letter FILE      the letter of a reading, byte for byte as it was sent
  --salt HEX         the salt in the reading's record (default: the one in FILE)
  --entry FILE       the reading's entry in the log, which --proof is of (default: the one in FILE)
  --log VKEY         FILE is a checkpoint of the public log, signed by this key; repeatable
  --witness VKEY     a witness you trust, with --log; repeatable
  --quorum N         how many witnesses must have cosigned (default all)
  --older FILE       an older checkpoint that this one must continue, with --log
  --tiles PREFIX     folder or URL of the log's tile/…, with --older instead of --proof
  --max-age AGE      refuses an older head or checkpoint, such as 15m, 24h or 7d
  --control ID       judges this control of --report again: FILE is an audit export of its days
  --report FILE      a saved report or score of the checklist, with --control
  --lines            FILE has one document per line (default: found from its first two lines)
  --json             prints the findings as JSON

Each KIND needs a key; proofs also need --head:

  record        a record (ATTESTATION-v1)
  answer        an answer of the gateway, with a record in it
  entry         a line of an export, with a record in it
  inclusion     a proof that a leaf is in a log
  consistency   a proof that a log only grew; needs both heads
  head          a signed head of a log
  bundle        an evidence bundle: a record with all its proofs
  history       public heads and the proofs between them
  erasure       a proof that only hashes of an organisation are left

Medical receipts, and exports of receipts or audit entries, also need a key. They take no --as.

Examples:
  node countersign-verify.mjs bundle.json --key KEY
  node countersign-verify.mjs bundle.json --answer answer.json --key KEY
  node countersign-verify.mjs audit.jsonl --keys keys.json --report report.json --control P2
  node countersign-verify.mjs checkpoint --log VKEY --witness VKEY --max-age 15m

Exit codes: 0 valid by a trusted key, 1 invalid or not proven, 2 wrong command line or unreadable.`

export type VerifyArguments = {
  source: string
  /** The options for a checkpoint, or null if the source is a JSON document. */
  checkpoint: CheckpointArguments | null
  kind: DocumentKind | null
  profile: Profile | null
  /** The greatest age in seconds; null for any age. */
  maxAge: number | null
  /** All options as given. */
  values: Values
}

export type CheckpointArguments = { policy: WitnessPolicy; older: string | null; tiles: string | null }

/** Reads the command line. Returns null if the help was asked for. Throws UsageError. */
export function readArguments(args: readonly string[]): VerifyArguments | null {
  const { values, positionals } = readCommandLine(args, OPTIONS)
  if (values.help) return null
  const [source, ...others] = positionals
  if (source === undefined) throw new UsageError('Name what to check: a file, a URL, or - for standard input.')
  if (others.length > 0) throw new UsageError('Name only one document.')
  const why =
    findMisuse(values) ?? findProfileMisuse(values) ?? findControlMisuse(values) ?? findCheckpointMisuse(values)
  if (why !== null) throw new UsageError(why)
  const { as: kind = '', profile, 'max-age': maxAge = '' } = values
  return {
    source,
    checkpoint: readCheckpointArguments(values),
    kind: isDocumentKind(kind) ? kind : null,
    profile: PROFILES.find((one) => one === profile) ?? null,
    maxAge: parseMaxAge(maxAge),
    values,
  }
}

type Values = ReturnType<typeof readCommandLine<typeof OPTIONS>>['values']

const isAnyGiven = (...values: unknown[]): boolean => values.some((value) => value !== undefined)

function findMisuse(values: Values): string | null {
  const { key: keys = [], keys: kept, as: kind, 'max-age': maxAge } = values
  if (values['integrity-only'] && isAnyGiven(values.key, kept)) {
    return '--integrity-only trusts no key. Leave out either it or the keys.'
  }
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    return '--key needs a raw Ed25519 public key: 43 characters of base64url.'
  }
  // SECURITY: the server at a URL would decide which keys are trusted.
  if (kept !== undefined && isElsewhere(kept)) return '--keys needs a saved file, not a URL.'
  if (kind !== undefined && !isDocumentKind(kind)) return `--as needs one of ${DOCUMENT_KINDS.join(', ')}.`
  if (maxAge !== undefined && parseMaxAge(maxAge) === null) return `--max-age needs ${MAX_AGE_FORM}.`
  return values.lines === true ? findMisuseOfLines(values) : null
}

/** Returns why a file with one document a line cannot be checked with these options; null if it can. */
export function findMisuseOfLines({ request, proof, head, subject, letter, ...values }: Values): string | null {
  const { salt, entry, answer, 'max-age': maxAge } = values
  if (!isAnyGiven(request, proof, head, subject, letter, salt, entry, answer, maxAge)) return null
  return 'A file of lines takes no --request, --proof, --head, --subject, --letter, --salt, --entry, --answer or --max-age.'
}

function findProfileMisuse({ profile, subject, letter, salt, entry, proof, head, ...values }: Values): string | null {
  const isAboutReading = isAnyGiven(letter, salt, entry)
  if (profile === undefined) {
    if (isAboutReading) return `Use --letter, --salt and --entry only with --profile ${READING_PROFILE}.`
    return subject === undefined ? null : 'Use --subject only with --profile.'
  }
  if (!PROFILES.some((one) => one === profile)) return `--profile needs ${PROFILES.join(', ')}.`
  const { as, request, answer, 'max-age': maxAge } = values
  if (isAnyGiven(as, request, answer, maxAge)) return '--profile takes no --as, --request, --answer or --max-age.'
  if (profile === READING_PROFILE) {
    if (subject !== undefined) return `With --profile ${READING_PROFILE}, give --letter, not --subject.`
    return salt === undefined || /^[0-9a-f]{64}$/.test(salt) ? null : '--salt needs 64 lower-case hexadecimal digits.'
  }
  return isAboutReading || isAnyGiven(proof, head) ? `With --profile ${profile}, use only keys and --subject.` : null
}

function findControlMisuse({ control, report, log, as, profile }: Values): string | null {
  if (control === undefined && report === undefined) return null
  if (control === undefined || report === undefined) return 'Use --control and --report together.'
  return isAnyGiven(log, as, profile) ? 'With --control, use only keys and --report.' : null
}

/** True for a URL and for standard input. */
const isElsewhere = (source: string): boolean => /^(?:https?:\/\/|-$)/.test(source)

function findCheckpointMisuse(values: Values): string | null {
  const { log, witness, quorum, older, tiles, proof } = values
  if (log === undefined) {
    return isAnyGiven(witness, quorum, older, tiles)
      ? '--witness, --quorum, --older and --tiles are for checkpoints. Add --log VKEY.'
      : null
  }
  const { key, keys, request, head, as, lines, profile, answer, 'integrity-only': integrity } = values
  if (isAnyGiven(key, keys, request, head, as, lines, profile, answer, integrity)) {
    return 'A checkpoint takes only --log, --witness, --quorum, --max-age, --older, --proof and --tiles.'
  }
  if (older === undefined && isAnyGiven(tiles, proof)) return 'With --log, use --proof and --tiles only with --older.'
  if (tiles !== undefined && proof !== undefined) return 'Use either --proof or --tiles.'
  if (quorum !== undefined && !/^[1-9]\d?$/.test(quorum)) return '--quorum needs a number from 1 to 99.'
  return null
}

function readCheckpointArguments(values: Values): CheckpointArguments | null {
  const { log, witness: witnesses = [], quorum, older = null, tiles = null } = values
  if (log === undefined) return null
  const policy = readWitnessPolicy({ log, witnesses, quorum: quorum === undefined ? null : Number(quorum) })
  if (typeof policy === 'string') throw new UsageError(policy)
  return { policy, older, tiles }
}

const one = { type: 'string' } as const
const several = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const

const OPTIONS = {
  as: one,
  profile: one,
  subject: one,
  letter: one,
  salt: one,
  entry: one,
  answer: one,
  key: several,
  keys: one,
  'integrity-only': flag,
  request: one,
  proof: one,
  head: several,
  log: several,
  witness: several,
  quorum: one,
  older: one,
  tiles: one,
  'max-age': one,
  control: one,
  report: one,
  lines: flag,
  json: flag,
} as const
