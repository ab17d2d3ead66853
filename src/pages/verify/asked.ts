// Reads the document to check and everything given with it. It ignores no input silently.
import { ACCEPT_PROFILE } from '../../evidence/records/accept-record.ts'
import { KEPT_KEYS_FAULTS, readKeptKeys } from '../../evidence/records/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../../evidence/records/read-json.ts'
import { PUBLIC_KEY_BYTES } from '../../evidence/records/ed25519.ts'
import { decodeExactly, type Trust } from '../../evidence/records/verify-record.ts'
import { AGAINST_NOTHING, type Against, type Misuse } from '../../evidence/verify/against.ts'
import type { CheckpointAgainst } from '../../evidence/verify/check-checkpoint.ts'
import { DOCUMENT_KINDS } from '../../evidence/verify/document-kind.ts'
import { MOST_BYTES } from '../../evidence/verify/lines.ts'
import { MAX_AGE_FORM, parseMaxAge, type Freshness } from '../../evidence/verify/freshness.ts'
import { readPolicy } from '../../evidence/checkpoint/witness-policy.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { bytesOf, type Input, type Told } from './told.ts'

/** The inputs of the page. */
export const PLACES = [
  'document',
  'keys',
  'log',
  'witnesses',
  'request',
  'proof',
  'head',
  'secondHead',
  'subject',
  'older',
  'growth',
] as const
export type Place = (typeof PLACES)[number]

/** The kind that the visitor names; null if the document's members decide. */
export type Named = (typeof NAMES)[number] | null
export const NAMES = [...DOCUMENT_KINDS, ACCEPT_PROFILE] as const

export type Asked = {
  readonly inputs: Readonly<Partial<Record<Place, Input>>>
  readonly told: Told
  readonly named: Named
  /** False if the visitor checks without a key. */
  readonly hasTrust: boolean
  /** The number of witnesses; empty for all. */
  readonly quorum: string
  /** The most that a head or a checkpoint may be old; empty for any age. */
  readonly maxAge: string
}

const RECORDS: ReadonlySet<Named> = new Set(['record', 'answer', 'entry'])

/** Returns the inputs that the document can be checked with. */
export function placesBeside({ told, named }: Pick<Asked, 'told' | 'named'>): readonly Place[] {
  if (told.form === 'checkpoint') return ['older', 'growth']
  if (named === ACCEPT_PROFILE) return ['subject']
  const kind = named ?? (told.form === 'document' ? told.kind : null)
  if (RECORDS.has(kind)) return ['request', 'proof', 'head']
  if (kind === 'inclusion') return ['head']
  return kind === 'consistency' ? ['head', 'secondHead'] : []
}

/** True if the document has an age that can be limited. */
export const isAged = ({ told, named }: Pick<Asked, 'told' | 'named'>): boolean =>
  told.form === 'checkpoint' ||
  ['head', 'inclusion', 'consistency'].includes(named ?? (told.form === 'document' ? told.kind : ''))

/** Throws PlaceError. */
function readFreshness(asked: Asked): Freshness | null {
  const wanted = asked.maxAge.trim()
  if (wanted === '' || !isAged(asked)) return null
  const maxAge = parseMaxAge(wanted)
  if (maxAge === null) throw new PlaceError('document', `“At most how old” takes ${MAX_AGE_FORM}.`)
  return { maxAge, now: Math.floor(Date.now() / 1000) }
}

/** Says why an input cannot be used. */
export class PlaceError extends Error {
  readonly place: Place

  constructor(place: Place, why: string) {
    super(why)
    this.place = place
  }
}

/** Throws PlaceError. */
export async function readAgainst(asked: Asked): Promise<Against> {
  const { named } = asked
  const places = placesBeside(asked)
  const read = async (place: Place): Promise<JsonObject | null> =>
    places.includes(place) ? readObject(place, asked.inputs[place]) : null
  const heads = [await read('head'), await read('secondHead')].filter((head) => head !== null)
  return {
    ...AGAINST_NOTHING,
    trust: asked.hasTrust ? await readTrust(asked.inputs.keys) : { integrityOnly: true },
    kind: named === ACCEPT_PROFILE ? null : named,
    profile: named === ACCEPT_PROFILE ? named : null,
    subject: await read('subject'),
    request: await read('request'),
    proof: await read('proof'),
    heads,
    freshness: readFreshness(asked),
  }
}

/** Reads keys, one a line, or a stored list of keys as JSON. Throws PlaceError. */
async function readTrust(input: Input | undefined): Promise<Trust | null> {
  if (input === undefined) return null
  const bytes = await bytesWithin('keys', input)
  const text = new TextDecoder().decode(bytes)
  if (text.trimStart().startsWith('{')) {
    const list = readObjectIn('keys', bytes)
    const kept = readKeptKeys(list)
    if (!kept.ok) throw new PlaceError('keys', KEPT_KEYS_FAULTS[kept.fault])
    return { keys: [], kept: kept.keys }
  }
  const keys = wordsOf(text)
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    throw new PlaceError('keys', 'A key is 43 characters of base64url, one a line; or give a list of keys as JSON.')
  }
  return keys.length === 0 ? null : { keys }
}

/** Throws PlaceError. */
export async function readCheckpointAgainst(asked: Asked): Promise<CheckpointAgainst> {
  const { inputs, quorum } = asked
  const freshness = readFreshness(asked)
  const [log, witnesses] = [await readWords('log', inputs.log), await readWords('witnesses', inputs.witnesses)]
  if (log.length === 0) throw new PlaceError('log', 'Give the key of the log.')
  const wanted = quorum.trim()
  if (wanted !== '' && !/^[1-9]\d?$/.test(wanted)) throw new PlaceError('witnesses', 'A quorum is from 1 to 99.')
  const policy = readPolicy({ log, witnesses, quorum: wanted === '' ? null : Number(wanted) })
  if (typeof policy === 'string') throw new PlaceError('log', policy)
  const { older } = inputs
  const proof = await readObject('growth', inputs.growth)
  if (older === undefined) {
    if (proof !== null)
      throw new PlaceError('growth', 'A proof that the log only grew belongs with an older checkpoint.')
    return { policy, older: null, freshness }
  }
  const growth = proof === null ? ({ shownBy: 'nothing' } as const) : ({ shownBy: 'proof', proof } as const)
  return { policy, older: { bytes: await bytesWithin('older', older), growth }, freshness }
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

async function readWords(place: Place, input: Input | undefined): Promise<string[]> {
  return input === undefined ? [] : wordsOf(new TextDecoder().decode(await bytesWithin(place, input)))
}

async function readObject(place: Place, input: Input | undefined): Promise<JsonObject | null> {
  return input === undefined ? null : readObjectIn(place, await bytesWithin(place, input))
}

function readObjectIn(place: Place, bytes: Uint8Array): JsonObject {
  const read = readJsonObject(bytes)
  if (!read.readable) throw new PlaceError(place, READ_FAULTS[read.fault])
  return read.object
}

async function bytesWithin(place: Place, { blob }: Input): Promise<Uint8Array> {
  if (blob.size > MOST_BYTES) throw new PlaceError(place, 'It is larger than 16 MiB.')
  return bytesOf(blob)
}

/** The page's words for misuses. The library's own words name options of the command. */
export const MISUSES_HERE: Readonly<Record<Misuse, string>> = {
  no_trust: 'Give a key that you trust, or choose to check without one.',
  integrity_of_no_record: 'Without a key only a record can be checked: of anything else it would show nothing.',
  receipt_against_more: 'This is a medical receipt: let its members tell what it is.',
  receipts_against_more: 'This is an export of medical receipts: let its members tell what it is.',
  entries_against_more: 'This is an export of audit entries: let its members tell what it is.',
  request_of_no_record: 'A request belongs with a record.',
  proof_of_no_record: 'A proof of inclusion belongs with a record.',
  head_of_no_proof: 'A signed head belongs with a proof, or with a record and its proof.',
  checkpoint_without_log: 'This is a checkpoint: it is checked with the key of its log.',
  age_of_no_head: 'An age belongs with a head, a proof with its heads, or a checkpoint.',
}
