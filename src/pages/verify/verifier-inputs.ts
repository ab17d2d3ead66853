// Reads the verifier page's inputs (keys, heads, proofs, age, quorum) into the options of a check. Lists the inputs that each
// kind of document can use. No input is silently ignored.
import { ACCEPT_PROFILE } from '../../evidence/records/accept-record.ts'
import { OUTCOME_PROFILE, READING_PROFILE } from '../../evidence/records/reading-words.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../evidence/records/key-list.ts'
import { READ_FAULTS, readJsonObject } from '../../evidence/records/read-json-object.ts'
import { PUBLIC_KEY_BYTES } from '../../evidence/records/ed25519.ts'
import { decodeExactly, type PinnedTrust, type Trust } from '../../evidence/records/verify-record.ts'
import {
  NO_OPTIONS,
  type CheckOptions,
  type Misuse,
  type ReadingEvidence,
} from '../../evidence/verify/check-options.ts'
import { proofAndHeads } from '../../evidence/verify/check-proof.ts'
import type { CheckpointOptions } from '../../evidence/verify/check-checkpoint.ts'
import { DOCUMENT_KINDS, PROFILES, textIn, type Profile } from '../../evidence/verify/document-kind.ts'
import { MOST_LINE_BYTES } from '../../evidence/verify/file-lines.ts'
import { MAX_AGE_FORM, parseMaxAge, type Freshness } from '../../evidence/verify/freshness.ts'
import type { readWitnessPolicy } from '../../evidence/checkpoint/witness-policy.ts'
import type { JsonObject } from '../../platform/json.ts'
import { bytesOf, type DocumentInput, type DetectedDocument } from './detect-document.ts'

/** The page's inputs: the label and the hint of each. */
export const INPUTS = {
  document: ['What to check', 'Paste or drop a record, an evidence file, an API answer or an export.'],
  keys: ['Keys that you trust', 'One a line, 43 characters each, or a list of keys that you kept, as JSON.'],
  log: ['Key of the log', 'A vkey, NAME+ID+KEY, as its operator publishes it. One a line.'],
  witnesses: ['Keys of witnesses that you trust', 'A vkey a line. Empty: no witness is needed.'],
  answer: ['Answer', 'Is it what was sent? The body as you got it, or the events of its stream.'],
  request: ['Request', 'The JSON body of a request: is the record about it?'],
  proof: ['Proof of inclusion', 'Is the record in a log? An answer of the proof route, or of /v1/referral/log/.'],
  head: ['Signed head', 'The signed head of the proof’s tree. Empty: the one in the proof.'],
  secondHead: ['Second signed head', 'The head of the proof’s other tree.'],
  subject: ['Record that it is about', 'The record or the reading that the person decided about.'],
  letter: [
    'Letter',
    'Every byte as it was sent: best a file. Pasted line breaks become LF, and the last one counts too.',
  ],
  salt: ['Salt', 'question.salt of the reading’s record: 64 hexadecimal digits. Empty: the one in the record.'],
  entry: ['Entry in the log', 'ledger.entry of the record, or its bytes. Empty: the one in the record.'],
  older: ['Older checkpoint', 'A checkpoint that you kept, which this one must continue.'],
  growth: ['Proof that the log only grew', 'An answer of the consistency route, for the sizes of both.'],
} as const
export type InputName = keyof typeof INPUTS

/** The document kind that the visitor chose, or null if the document's members decide. */
export type ChosenKind = (typeof CHOOSABLE_KINDS)[number] | null
export const CHOOSABLE_KINDS = [...DOCUMENT_KINDS, ...PROFILES] as const

/** The keys that the visitor gives, those that this service publishes, or none. */
export type ChosenTrust = 'given' | 'published' | 'none'

export type VerifyForm = {
  readonly inputs: Readonly<Partial<Record<InputName, DocumentInput>>>
  readonly detected: DetectedDocument
  readonly chosenKind: ChosenKind
  readonly trust: ChosenTrust
  /** The number of witnesses; '' for all. */
  readonly quorum: string
  /** The greatest age of a head or a checkpoint; '' for any. */
  readonly maxAge: string
}

export const profileIn = (chosenKind: ChosenKind): Profile | null => PROFILES.find((one) => one === chosenKind) ?? null

type OfWhat = Pick<VerifyForm, 'detected' | 'chosenKind'>

/** The kind that the visitor chose, or else that of the document; null if it is not known. */
export const kindOf = ({ detected, chosenKind }: OfWhat): ChosenKind =>
  chosenKind ?? (detected.form === 'document' ? detected.kind : null)

const BESIDE_RECORD = ['request', 'proof', 'head'] as const

/** The inputs that a document of the kind can be checked with. */
const FURTHER: Readonly<Partial<Record<NonNullable<ChosenKind>, readonly InputName[]>>> = {
  record: BESIDE_RECORD,
  answer: BESIDE_RECORD,
  entry: BESIDE_RECORD,
  bundle: ['answer'],
  inclusion: ['head'],
  consistency: ['head', 'secondHead'],
  [ACCEPT_PROFILE]: ['subject'],
  [READING_PROFILE]: ['letter', 'salt', 'entry', 'proof', 'head'],
  [OUTCOME_PROFILE]: ['subject'],
}

/** Returns the names of the inputs that this document can be checked with. */
export function furtherInputs(of: OfWhat): readonly InputName[] {
  if (of.detected.form === 'checkpoint') return ['older', 'growth']
  const kind = kindOf(of)
  if (kind === null || (of.detected.form === 'lines' && profileIn(kind) !== null)) return []
  return FURTHER[kind] ?? []
}

/** True if the document has an age, which the visitor can limit. */
export const isAged = (of: OfWhat): boolean =>
  of.detected.form === 'checkpoint' || ['head', 'inclusion', 'consistency'].includes(kindOf(of) ?? '')

/** Reads the age limit, or returns null. Throws InputError. */
function readFreshness(form: VerifyForm): Freshness | null {
  const wanted = form.maxAge.trim()
  if (wanted === '' || !isAged(form)) return null
  const maxAge = parseMaxAge(wanted)
  if (maxAge === null) throw new InputError('document', `“At most how old” takes ${MAX_AGE_FORM}.`)
  return { maxAge, now: Math.floor(Date.now() / 1000) }
}

/** Says why an input cannot be used, and which one. */
export class InputError extends Error {
  readonly field: InputName

  constructor(field: InputName, why: string) {
    super(why)
    this.field = field
  }
}

/** Reads the options of the check, but for those of a profile. Throws InputError. */
export async function readOptions(form: VerifyForm): Promise<CheckOptions> {
  const { chosenKind } = form
  const fields = furtherInputs(form)
  const read = async (field: InputName): Promise<JsonObject | null> =>
    fields.includes(field) ? readObject(field, form.inputs[field]) : null
  const heads = [await read('head'), await read('secondHead')].filter((head) => head !== null)
  return {
    ...NO_OPTIONS,
    trust: await readTrust(form),
    kind: DOCUMENT_KINDS.find((kind) => kind === chosenKind) ?? null,
    subject: await read('subject'),
    request: await read('request'),
    ...proofAndHeads(await read('proof'), heads),
    freshness: readFreshness(form),
    now: Date.now(),
  }
}

/** Returns the bytes of a further input; null without one. Throws InputError. */
export async function readBytes(form: VerifyForm, field: InputName): Promise<Uint8Array | null> {
  const input = form.inputs[field]
  return input === undefined || !furtherInputs(form).includes(field) ? null : bytesUpToLimit(field, input)
}

/** Reads what a reading is checked with. Its record brings a salt along, so one without a letter is no mistake. Throws InputError. */
export async function readReading(form: VerifyForm): Promise<ReadingEvidence> {
  const [letter, entry] = [await readBytes(form, 'letter'), await readBytes(form, 'entry')]
  const bytes = letter && (await readBytes(form, 'salt'))
  const salt = bytes && new TextDecoder().decode(bytes).trim()
  if (salt !== null && !/^[0-9a-f]{64}$/.test(salt))
    throw new InputError('salt', 'A salt is 64 hexadecimal digits, in lower case.')
  // A record brings its entry along too, which without a proof is what its maker wrote.
  return { letter, salt, entry: form.inputs.proof === undefined ? null : entry }
}

/** Reads the trusted keys: those that came with this page, or keys one per line, or a stored key list in JSON. Throws InputError. */
async function readTrust({ trust, inputs }: VerifyForm): Promise<Trust | null> {
  if (trust === 'none') return { integrityOnly: true }
  const input = chosenKeys({ trust, inputs })
  if (input === undefined) return null
  const bytes = await bytesUpToLimit('keys', input)
  const text = new TextDecoder().decode(bytes)
  if (text.trimStart().startsWith('{')) {
    const list = readObjectIn('keys', bytes)
    const kept = readKeyList(list)
    if (!kept.ok) throw new InputError('keys', KEY_LIST_FAULTS[kept.fault])
    return { keys: [], list: kept.keys }
  }
  const keys = wordsOf(text)
  if (keys.some((key) => decodeExactly(key, PUBLIC_KEY_BYTES) === null)) {
    throw new InputError('keys', 'A key is 43 characters of base64url, one a line; or give a list of keys as JSON.')
  }
  return keys.length === 0 ? null : { keys }
}

/** The keys that the service published when it served this page, or undefined: in the saved file, and where it signs nothing. */
export function publishedKeys(): DocumentInput | undefined {
  const text = publishedText()
  return text === '' ? undefined : { name: null, blob: new Blob([text]) }
}

type Chosen = Pick<VerifyForm, 'trust' | 'inputs'>

const chosenKeys = ({ trust, inputs }: Chosen): DocumentInput | undefined =>
  trust === 'published' ? publishedKeys() : inputs.keys

type NotedKeys = { note: string; others: PinnedTrust }

/** Returns a note on some of the trusted keys, such as that they are for development, and the trust in the others. */
export async function noteOfKeys(chosen: Chosen, { keys, list }: PinnedTrust): Promise<NotedKeys> {
  const note = noteIn((await chosenKeys(chosen)?.blob.text()) ?? '')
  if (note !== '') return { note, others: { keys: [] } }
  // A key that was given without a note has that of the list in which this service publishes it.
  const published = publishedText()
  const isOther = (key: string): boolean => !published.includes(`"${key}"`)
  const listed = new Map([...(list ?? [])].filter(([key]) => isOther(key)))
  return { note: noteIn(published), others: { keys: keys.filter(isOther), list: listed } }
}

const noteIn = (text: string): string => (text.trimStart().startsWith('{') && textIn(JSON.parse(text), 'note')) || ''

const publishedText = (): string => document.querySelector('#published-keys')?.textContent.trim() ?? ''

/** Reads the options for a checkpoint. Throws InputError. @param readPolicy `readWitnessPolicy` */
export async function readCheckpointOptions(
  form: VerifyForm,
  readPolicy: typeof readWitnessPolicy,
): Promise<CheckpointOptions> {
  const { inputs, quorum } = form
  const freshness = readFreshness(form)
  const [log, witnesses] = [await readWords('log', inputs.log), await readWords('witnesses', inputs.witnesses)]
  if (log.length === 0) throw new InputError('log', 'Give the key of the log.')
  const wanted = quorum.trim()
  if (wanted !== '' && !/^[1-9]\d?$/.test(wanted)) throw new InputError('witnesses', 'A quorum is from 1 to 99.')
  const policy = readPolicy({ log, witnesses, quorum: wanted === '' ? null : Number(wanted) })
  if (typeof policy === 'string') throw new InputError('log', policy)
  const { older } = inputs
  const proof = await readObject('growth', inputs.growth)
  if (older === undefined) {
    if (proof !== null)
      throw new InputError('growth', 'A proof that the log only grew belongs with an older checkpoint.')
    return { policy, older: null, freshness }
  }
  const growth = proof === null ? ({ shownBy: 'nothing' } as const) : ({ shownBy: 'proof', proof } as const)
  return { policy, older: { bytes: await bytesUpToLimit('older', older), growth }, freshness }
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

async function readWords(field: InputName, input: DocumentInput | undefined): Promise<string[]> {
  return input === undefined ? [] : wordsOf(new TextDecoder().decode(await bytesUpToLimit(field, input)))
}

const readObject = async (field: InputName, input: DocumentInput | undefined): Promise<JsonObject | null> =>
  input === undefined ? null : readObjectIn(field, await bytesUpToLimit(field, input))

function readObjectIn(field: InputName, bytes: Uint8Array): JsonObject {
  const read = readJsonObject(bytes)
  if (!read.readable) throw new InputError(field, READ_FAULTS[read.fault])
  return read.object
}

async function bytesUpToLimit(field: InputName, { blob }: DocumentInput): Promise<Uint8Array> {
  if (blob.size > MOST_LINE_BYTES) throw new InputError(field, 'It is larger than 16 MiB.')
  return bytesOf(blob)
}

/** The inputs that a misuse is shown at; the document for any other. */
export const MISUSED_FIELDS: Readonly<Partial<Record<Misuse, InputName>>> = {
  no_trust: 'keys',
  letter_without_salt: 'salt',
  proof_of_no_entry: 'entry',
}

/** The page's words for misuses. The library's words name options of the command. */
export const MISUSE_MESSAGES: Readonly<Record<Misuse, string>> = {
  no_trust: 'Give a key that you trust, or choose the published keys or no key.',
  integrity_of_no_record: 'Without a key only a record can be checked: of anything else it would show nothing.',
  receipt_with_more: 'This is a record of a call with its proofs: choose “Detect it”.',
  export_with_more: 'This is an export: choose “Detect it”.',
  request_of_no_record: 'A request belongs with a record.',
  proof_of_no_record: 'A proof of inclusion belongs with a record.',
  head_of_no_proof: 'A signed head belongs with a proof, or with a record and its proof.',
  answer_of_no_bundle: 'A copy of an answer belongs with an evidence bundle.',
  checkpoint_without_log: 'This is a checkpoint: give the key of its log.',
  letter_without_salt: 'The letter is checked with its salt. Give it too.',
  proof_of_no_entry: 'The proof is of the reading’s entry. Give the entry too.',
  age_of_no_head: 'An age belongs with a head, a proof with its heads, or a checkpoint.',
}
