// What the command was asked for, or why it was not understood.
import { parseArgs } from 'node:util'
import { PUBLIC_KEY_BYTES } from '../../src/evidence/records/ed25519.ts'
import { decodeExactly } from '../../src/evidence/records/verify-record.ts'
import type { WitnessPolicy } from '../../src/evidence/checkpoint/witness-policy.ts'
import { PROFILES, type Profile } from '../../src/evidence/verify/against.ts'
import { DOCUMENT_KINDS, isDocumentKind, type DocumentKind } from '../../src/evidence/verify/document-kind.ts'
import { MAX_AGE_FORM, parseMaxAge } from '../../src/evidence/verify/freshness.ts'
import { readPolicy } from '../../src/evidence/verify/read-policy.ts'

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

export type Arguments = {
  source: string
  /** Where the source is a checkpoint; null where it is a JSON document. */
  checkpoint: CheckpointArguments | null
  kind: DocumentKind | null
  /** Those given one by one. */
  keys: readonly string[]
  /** The file with a list of keys. */
  keptKeys: string | null
  isIntegrityOnly: boolean
  profile: Profile | null
  subject: string | null
  request: string | null
  proof: string | null
  heads: readonly string[]
  /** In seconds; null for any age. */
  maxAge: number | null
  isLines: boolean
  isJson: boolean
}

export type CheckpointArguments = {
  policy: WitnessPolicy
  older: string | null
  tiles: string | null
  /** The file with the certificates of timestamp authorities. */
  authority: string | null
}

export type ReadArguments = { asked: 'check'; arguments: Arguments } | { asked: 'help' } | { asked: null; why: string }

export function readArguments(args: readonly string[]): ReadArguments {
  const parsed = tryParse(args)
  if (typeof parsed === 'string') return { asked: null, why: parsed }
  const { values, positionals } = parsed
  if (values.help === true) return { asked: 'help' }
  const [source, ...others] = positionals
  if (source === undefined)
    return { asked: null, why: 'Say what to check: a file, an address, or - for standard input.' }
  if (others.length > 0) return { asked: null, why: 'One document at a time.' }

  const why = findMisuse(values, source)
  if (why !== null) return { asked: null, why }
  const checkpoint = readCheckpointArguments(values)
  if (typeof checkpoint === 'string') return { asked: null, why: checkpoint }
  const kind = values.as ?? null
  return {
    asked: 'check',
    arguments: {
      source,
      checkpoint,
      kind: kind !== null && isDocumentKind(kind) ? kind : null,
      keys: values.key ?? [],
      keptKeys: values.keys ?? null,
      isIntegrityOnly: values['integrity-only'] === true,
      profile: PROFILES.find((profile) => profile === values.profile) ?? null,
      subject: values.subject ?? null,
      request: values.request ?? null,
      proof: values.proof ?? null,
      heads: values.head ?? [],
      maxAge: readMaxAge(values),
      isLines: isLines(values, source),
      isJson: values.json === true,
    },
  }
}

const readMaxAge = (values: Values): number | null => parseMaxAge(values['max-age'] ?? '')

type Values = Exclude<ReturnType<typeof tryParse>, string>['values']

const isLines = ({ lines }: Values, source: string): boolean => lines === true || /\.(?:jsonl|ndjson)$/.test(source)

function findMisuse(values: Values, source: string): string | null {
  const { key: keys = [], keys: kept, as: kind } = values
  const hasKeys = keys.length > 0 || kept !== undefined
  if (values['integrity-only'] === true && hasKeys) return '--integrity-only trusts no key: leave it or the keys out.'
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    return '--key takes 43 characters of base64url: a raw Ed25519 public key.'
  }
  // SECURITY: whoever answers at an address would decide which keys are trusted.
  if (kept !== undefined && isElsewhere(kept)) return '--keys takes a file that you kept, no address.'
  if (kind !== undefined && !isDocumentKind(kind)) return `--as takes one of: ${DOCUMENT_KINDS.join(', ')}.`
  if (values['max-age'] !== undefined && readMaxAge(values) === null) return `--max-age takes ${MAX_AGE_FORM}.`
  const ofOne = [values.request, values.proof, values.head, values.subject, values['max-age']]
  if (isLines(values, source) && ofOne.some((value) => value !== undefined)) {
    return '--request, --proof, --head, --subject and --max-age belong to one document, not to lines of them.'
  }
  return findProfileMisuse(values)
}

function findProfileMisuse(values: Values): string | null {
  const { profile, subject, as, request, proof, head } = values
  if (profile === undefined) return subject === undefined ? null : '--subject belongs with --profile.'
  if (!PROFILES.some((one) => one === profile)) return `--profile takes one of: ${PROFILES.join(', ')}.`
  if ([as, request, proof, head, values['max-age']].every((value) => value === undefined)) return null
  return 'With --profile belong a key and --subject alone.'
}

/** An address, or whatever somebody pipes in. */
const isElsewhere = (source: string): boolean => /^(?:https?:\/\/|-$)/.test(source)

/** Null where no checkpoint is to be checked; a sentence where the arguments for one do not fit together. */
function readCheckpointArguments(values: Values): CheckpointArguments | string | null {
  const { log, witness = [], quorum, older = null, tiles = null, authority = null } = values
  const isGiven = [log, values.witness, quorum, values.older, values.tiles, values.authority].some(
    (value) => value !== undefined,
  )
  if (!isGiven) return null
  if (log === undefined) {
    return '--witness, --quorum, --older, --tiles and --authority belong with a checkpoint: say --log VKEY.'
  }
  // SECURITY: whoever answers at an address would decide which authorities are trusted.
  if (authority !== null && isElsewhere(authority)) return '--authority takes a file that you kept, no address.'
  const { key, keys, request, head, as, lines, profile, 'integrity-only': integrity } = values
  if ([key, keys, request, head, as, lines, profile, integrity].some((value) => value !== undefined)) {
    return 'With a checkpoint belong --log, --witness, --quorum, --max-age, --authority, --older, and --proof or --tiles.'
  }
  if (older === null && (tiles !== null || values.proof !== undefined))
    return '--proof and --tiles belong with --older.'
  if (tiles !== null && values.proof !== undefined) return 'Either --proof or --tiles.'
  if (quorum !== undefined && !/^[1-9]\d?$/.test(quorum)) return '--quorum takes a number from 1 to 99.'
  const policy = readPolicy({ log, witnesses: witness, quorum: quorum === undefined ? null : Number(quorum) })
  return typeof policy === 'string' ? policy : { policy, older, tiles, authority }
}

function tryParse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        as: { type: 'string' },
        profile: { type: 'string' },
        subject: { type: 'string' },
        key: { type: 'string', multiple: true },
        keys: { type: 'string' },
        'integrity-only': { type: 'boolean' },
        request: { type: 'string' },
        proof: { type: 'string' },
        head: { type: 'string', multiple: true },
        log: { type: 'string', multiple: true },
        witness: { type: 'string', multiple: true },
        quorum: { type: 'string' },
        older: { type: 'string' },
        tiles: { type: 'string' },
        authority: { type: 'string' },
        'max-age': { type: 'string' },
        lines: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'The arguments were not understood.'
  }
}
