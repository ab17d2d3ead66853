// What the command was asked for, or why it was not understood.
import { parseArgs } from 'node:util'
import { PUBLIC_KEY_BYTES } from '../../src/attestation/ed25519.ts'
import { decodeExactly } from '../../src/attestation/verify-record.ts'
import { DOCUMENT_KINDS, isDocumentKind, type DocumentKind } from './document-kind.ts'

export const HELP = `countersign-verify FILE | URL | - [options]

Checks what the gateway signed, with keys that you trust: the record of a decision, the proofs and heads of the
transparency log, and bundles of them. Nothing is sent anywhere, and no key is fetched.

  --key KEY          a public key you trust, in base64url, from a place you trust; may be given more than once
  --keys FILE        keys you trust: an answer of /v1/attestation/keys that you kept. Each counts for its time only, and
                     a revoked one only for records that a later head proves to be older than the suspicion
  --integrity-only   trust no key: shows whether a record is whole, and not who made it, so it never ends with 0
  --request FILE     with a record: the request's JSON body. Is the record about it?
  --proof FILE       with a record: an inclusion proof. Is the record in a log?
  --head FILE        with a proof: a signed head of a tree it speaks of; may be given more than once
  --as KIND          what FILE is. Left out, its members tell, if they are of one kind only
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

Exit code: 0 all of it is valid and signed by a key you trust; 1 something is not valid, or not proven, since no key you
trust has signed it; 2 something could not be read, or the command was not understood.`

export type Arguments = {
  source: string
  kind: DocumentKind | null
  /** Those given one by one. */
  keys: readonly string[]
  /** The file with a list of keys. */
  keptKeys: string | null
  isIntegrityOnly: boolean
  request: string | null
  proof: string | null
  heads: readonly string[]
  isLines: boolean
  isJson: boolean
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
  const kind = values.as ?? null
  return {
    asked: 'check',
    arguments: {
      source,
      kind: kind !== null && isDocumentKind(kind) ? kind : null,
      keys: values.key ?? [],
      keptKeys: values.keys ?? null,
      isIntegrityOnly: values['integrity-only'] === true,
      request: values.request ?? null,
      proof: values.proof ?? null,
      heads: values.head ?? [],
      isLines: isLines(values, source),
      isJson: values.json === true,
    },
  }
}

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
  if (kept !== undefined && /^(?:https?:\/\/|-$)/.test(kept)) return '--keys takes a file that you kept, no address.'
  if (kind !== undefined && !isDocumentKind(kind)) return `--as takes one of: ${DOCUMENT_KINDS.join(', ')}.`
  if (isLines(values, source) && [values.request, values.proof, values.head].some((value) => value !== undefined)) {
    return '--request, --proof and --head belong to one document, not to lines of them.'
  }
  return null
}

function tryParse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        as: { type: 'string' },
        key: { type: 'string', multiple: true },
        keys: { type: 'string' },
        'integrity-only': { type: 'boolean' },
        request: { type: 'string' },
        proof: { type: 'string' },
        head: { type: 'string', multiple: true },
        lines: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'The arguments were not understood.'
  }
}
