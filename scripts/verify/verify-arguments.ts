// Reads the command line of countersign-verify, and refuses options that do not belong together.
import { parseArgs } from 'node:util'
import { PUBLIC_KEY_BYTES } from '../../src/evidence/records/ed25519.ts'
import { decodeExactly } from '../../src/evidence/records/verify-record.ts'
import { type WitnessPolicy, readWitnessPolicy } from '../../src/evidence/checkpoint/witness-policy.ts'
import { PROFILES, type Profile } from '../../src/evidence/verify/check-options.ts'
import { DOCUMENT_KINDS, isDocumentKind, type DocumentKind } from '../../src/evidence/verify/document-kind.ts'
import { MAX_AGE_FORM, parseMaxAge } from '../../src/evidence/verify/freshness.ts'

export const HELP = `countersign-verify FILE | URL | - [options]

Checks what the gateway signed, with keys that you trust: the record of a decision, the proofs, heads and checkpoints of
the transparency log, and bundles of them. Nothing is sent anywhere, and no key is fetched.

  --key KEY          a public key you trust, in base64url, from a place you trust; may be given more than once
  --keys FILE        keys you trust: an answer of /v1/attestation/keys that you kept. Each counts for its time only, and
                     a revoked one only for records that a later head proves to be older than the suspicion
  --integrity-only   trust no key: shows whether a record is whole, and not who made it, so it never ends with 0
  --request FILE     with a record: the request's JSON body. Is the record about it?
  --proof FILE       with a record: an inclusion proof. Is the record in a log?
  --head FILE        with a proof: a signed head of a tree it speaks of; may be given more than once
  --profile NAME     FILE is a record of another format than ATTESTATION-v1, which only its name here tells: accept-1, a
                     person’s decision about a record (ACCEPT-v1); needs a key
  --subject FILE     with --profile: the record of ATTESTATION-v1 that it is to be about
  --as KIND          what FILE is. Left out, its members tell, if they are of one kind only
  --log VKEY         FILE is a checkpoint of the public log, and this is a key of the log; may be given more than once.
                     Of keys of two types, by Ed25519 and by ML-DSA-44, one of each must have signed it
  --witness VKEY     with --log: a witness you trust; may be given more than once
  --quorum N         with --witness: how many of them must have cosigned it. Left out, all
  --older FILE       with --log: a checkpoint that you kept, which this one must continue
  --tiles PREFIX     with --older: the folder or address with the log’s tile/…, instead of a consistency proof (--proof)
  --authority FILE   with --log: the document is a timestamped checkpoint, and FILE has the certificates (PEM) of
                     timestamp authorities you trust, from a place you trust. Left out, its token is not proven
  --max-age AGE      with a head, a proof with its heads, or a checkpoint: refuses one that is older than AGE, such as
                     15m, 24h or 7d. Of a checkpoint, as many witnesses as you ask for must have cosigned within it
  --lines            FILE has one document a line, as exports have; understood from .jsonl and .ndjson
  --json             the findings as JSON
  -h, --help         this page

KIND           what it is                                                what it needs beside it
  record       a record of ATTESTATION-v1                                a key
  answer       an answer of the gateway, or an error: the record in it   a key
  entry        a line of an export: the record in it                     a key
  inclusion    the proof that a leaf is in a log                         a key, and --head for its tree
  consistency  the proof that a log only grew                            a key, and --head for both its trees
  head         a signed head of a log                                    a key
  bundle       an evidence bundle: a record with all that proves it      a key
  history      several public heads and the proofs between them          a key
  erasure      that of an organisation nothing but hashes is left        a key

A medical receipt, and exports of them or of audit entries, are told by what they call themselves, and need a key.

Exit code: 0 all of it is valid and signed by a key you trust; 1 something is not valid, or not proven, since no key you
trust has signed it; 2 something could not be read, or the command was not understood.`

/** Thrown if the command was not understood. The message says why. */
export class VerifyUsageError extends Error {}

export type VerifyArguments = {
  source: string
  /** The options for a checkpoint, or null if the source is a JSON document. */
  checkpoint: CheckpointArguments | null
  kind: DocumentKind | null
  profile: Profile | null
  /** The greatest age in seconds; null for any age. */
  maxAge: number | null
  isLines: boolean
  /** All options as given. */
  values: Values
}

export type CheckpointArguments = { policy: WitnessPolicy; older: string | null; tiles: string | null }

/** Reads the command line. Returns null if the help was asked for. Throws VerifyUsageError. */
export function readArguments(args: readonly string[]): VerifyArguments | null {
  const { values, positionals } = parse(args)
  if (values.help) return null
  const [source, ...others] = positionals
  if (source === undefined)
    throw new VerifyUsageError('Say what to check: a file, an address, or - for standard input.')
  if (others.length > 0) throw new VerifyUsageError('One document at a time.')
  const isLines = values.lines === true || /\.(?:jsonl|ndjson)$/.test(source)
  const why = findMisuse(values, isLines) ?? findProfileMisuse(values) ?? findCheckpointMisuse(values)
  if (why !== null) throw new VerifyUsageError(why)
  const { as: kind = '', profile, 'max-age': maxAge = '' } = values
  return {
    source,
    checkpoint: readCheckpointArguments(values),
    kind: isDocumentKind(kind) ? kind : null,
    profile: PROFILES.find((one) => one === profile) ?? null,
    maxAge: parseMaxAge(maxAge),
    isLines,
    values,
  }
}

type Values = ReturnType<typeof parse>['values']

const isAnyGiven = (...values: unknown[]): boolean => values.some((value) => value !== undefined)

function findMisuse(values: Values, isLines: boolean): string | null {
  const { key: keys = [], keys: kept, as: kind, request, proof, head, subject, 'max-age': maxAge } = values
  if (values['integrity-only'] && isAnyGiven(values.key, kept)) {
    return '--integrity-only trusts no key: leave it or the keys out.'
  }
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    return '--key takes 43 characters of base64url: a raw Ed25519 public key.'
  }
  // SECURITY: the server at a URL would decide which keys are trusted.
  if (kept !== undefined && isElsewhere(kept)) return '--keys takes a file that you kept, no address.'
  if (kind !== undefined && !isDocumentKind(kind)) return `--as takes one of: ${DOCUMENT_KINDS.join(', ')}.`
  if (maxAge !== undefined && parseMaxAge(maxAge) === null) return `--max-age takes ${MAX_AGE_FORM}.`
  if (isLines && isAnyGiven(request, proof, head, subject, maxAge)) {
    return '--request, --proof, --head, --subject and --max-age belong to one document, not to lines of them.'
  }
  return null
}

function findProfileMisuse({ profile, subject, as, request, proof, head, 'max-age': maxAge }: Values): string | null {
  if (profile === undefined) return subject === undefined ? null : '--subject belongs with --profile.'
  if (!PROFILES.some((one) => one === profile)) return `--profile takes one of: ${PROFILES.join(', ')}.`
  return isAnyGiven(as, request, proof, head, maxAge) ? 'With --profile belong a key and --subject alone.' : null
}

/** True for a URL and for standard input. */
const isElsewhere = (source: string): boolean => /^(?:https?:\/\/|-$)/.test(source)

function findCheckpointMisuse(values: Values): string | null {
  const { log, witness, quorum, older, tiles, authority, proof } = values
  if (log === undefined) {
    return isAnyGiven(witness, quorum, older, tiles, authority)
      ? '--witness, --quorum, --older, --tiles and --authority belong with a checkpoint: say --log VKEY.'
      : null
  }
  // SECURITY: the server at a URL would decide which authorities are trusted.
  if (authority !== undefined && isElsewhere(authority)) return '--authority takes a file that you kept, no address.'
  const { key, keys, request, head, as, lines, profile, 'integrity-only': integrity } = values
  if (isAnyGiven(key, keys, request, head, as, lines, profile, integrity)) {
    return 'With a checkpoint belong --log, --witness, --quorum, --max-age, --authority, --older, and --proof or --tiles.'
  }
  if (older === undefined && isAnyGiven(tiles, proof)) return '--proof and --tiles belong with --older.'
  if (tiles !== undefined && proof !== undefined) return 'Either --proof or --tiles.'
  if (quorum !== undefined && !/^[1-9]\d?$/.test(quorum)) return '--quorum takes a number from 1 to 99.'
  return null
}

function readCheckpointArguments(values: Values): CheckpointArguments | null {
  const { log, witness: witnesses = [], quorum, older = null, tiles = null } = values
  if (log === undefined) return null
  const policy = readWitnessPolicy({ log, witnesses, quorum: quorum === undefined ? null : Number(quorum) })
  if (typeof policy === 'string') throw new VerifyUsageError(policy)
  return { policy, older, tiles }
}

const one = { type: 'string' } as const
const several = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        as: one,
        profile: one,
        subject: one,
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
        authority: one,
        'max-age': one,
        lines: flag,
        json: flag,
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    throw new VerifyUsageError(thrown instanceof Error ? thrown.message : 'The arguments were not understood.')
  }
}
