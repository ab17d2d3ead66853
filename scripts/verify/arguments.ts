// What the command was asked for, or why it was not understood.
import { parseArgs } from 'node:util'
import { PUBLIC_KEY_BYTES } from '../../src/attestation/ed25519.ts'
import { decodeExactly, type Trust } from '../../src/attestation/verify-record.ts'

export const HELP = `countersign-verify FILE | URL | - [options]

Checks a record of ATTESTATION-v1, an inclusion or consistency proof, or a signed head of the transparency log, told
apart by their members. A chat answer is checked by the record in it. Nothing is sent anywhere.

  --key KEY          the public key you trust, in base64url, from a place you trust; may be given more than once
  --integrity-only   trust no key: shows that a record is whole, and not who made it
  --request FILE     the request's JSON body: is the record about it?
  --proof FILE       an inclusion proof: is the record in the log?
  --head FILE        a signed head: is the proof about a tree that was signed? May be given more than once
  --lines            FILE has one document a line, as exports have; understood from .jsonl and .ndjson
  --json             the findings as JSON
  -h, --help         this page

FILE may be an address, or - for standard input. A record or a head needs --key or --integrity-only.

Exit code: 0 all is valid, 1 something is not, 2 something could not be read or the command was not understood.`

export type Arguments = {
  source: string
  trust: Trust | null
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

  const isIntegrityOnly = values['integrity-only'] === true
  const keys = values.key ?? []
  if (isIntegrityOnly && keys.length > 0) return { asked: null, why: '--key or --integrity-only, not both.' }
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    return { asked: null, why: '--key takes 43 characters of base64url: a raw Ed25519 public key.' }
  }
  const isLines = values.lines === true || /\.(?:jsonl|ndjson)$/.test(source)
  if (isLines && [values.request, values.proof, values.head].some((value) => value !== undefined)) {
    return { asked: null, why: '--request, --proof and --head belong to one document, not to lines of them.' }
  }
  return {
    asked: 'check',
    arguments: {
      source,
      trust: isIntegrityOnly ? { integrityOnly: true } : keys.length > 0 ? { keys } : null,
      request: values.request ?? null,
      proof: values.proof ?? null,
      heads: values.head ?? [],
      isLines,
      isJson: values.json === true,
    },
  }
}

function tryParse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
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
