// Formats the request to cosign a checkpoint (https://c2sp.org/tlog-witness), and sends it to all witnesses in parallel, with a time
// limit. A witness that fails delays nothing.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { readUpTo } from '../platform/body-pieces.ts'
import { TimeLimitError, withTimeLimit } from '../platform/time.ts'
import { encodeBase64 } from '../evidence/records/base64.ts'
import { parseSize } from '../evidence/checkpoint/checkpoint.ts'
import { isLineOfKey, type NoteKey } from '../evidence/checkpoint/note-key.ts'
import { verifyNote } from '../evidence/checkpoint/note-signature.ts'
import { formatSignatureLine, parseNote } from '../evidence/checkpoint/signed-note.ts'

export type Witness = {
  readonly key: NoteKey
  /** The submission prefix, without a trailing slash. */
  readonly url: string
}

/**
 * The result for one witness. `behind`: the checkpoint is smaller than the tree that the witness cosigned. `unprovable`: no proof
 * exists from its size. `other_root`: it cosigned another root of this size. `conflict`: it refused the size that it named itself,
 * or named none.
 */
export type WitnessOutcome =
  | 'cosigned'
  | 'behind'
  | 'unprovable'
  | 'other_root'
  | 'conflict'
  | 'request_refused'
  | 'log_signature_refused'
  | 'origin_unknown'
  | 'proof_refused'
  | 'answer_too_large'
  | 'answer_malformed'
  | 'cosignature_wrong'
  | 'cosignature_missing'
  | 'timed_out'
  | 'unreachable'
  | 'failed'

export type WitnessAnswer = {
  /** The name of its key. */
  readonly witness: string
  readonly outcome: WitnessOutcome
  /** The last size that it cosigned, by its own answer; null if it named none. */
  readonly size: number | null
  /** A signature line of the note, with its newline; null if it did not cosign. */
  readonly line: string | null
}

export type CosigningRequest = {
  readonly witnesses: readonly Witness[]
  readonly checkpoint: { readonly note: string; readonly text: string; readonly size: number }
  /** Returns the proof from a smaller size (at least 1) to the checkpoint’s; null if there is none. May reject. */
  readonly consistency: (oldSize: number) => Promise<readonly Uint8Array[] | null>
  /** The last known size that each witness cosigned, by the name of its key. */
  readonly remembered: ReadonlyMap<string, number>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

/** The content of a request to a witness: the size it cosigned last, the proof from there, and the whole note. */
export type AddCheckpoint = {
  /** 0 if the witness never cosigned this log. */
  readonly oldSize: number
  /**
   * A consistency proof. Empty from size 0 and between equal sizes. The format allows 63 hashes; sizes up to 2^53 need at most 52.
   * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.4.1
   */
  readonly proof: readonly Uint8Array[]
  readonly checkpoint: string
}

const LIMIT_MS = 2_000

const MOST_ANSWER_BYTES = 16 * 1024

/** Returns answers in the order of the witnesses. Never rejects. */
export const askWitnesses = (asking: CosigningRequest): Promise<WitnessAnswer[]> =>
  Promise.all(asking.witnesses.map((witness) => askInTime(witness, asking)))

async function askInTime(witness: Witness, asking: CosigningRequest): Promise<WitnessAnswer> {
  const abort = new AbortController()
  try {
    return await withTimeLimit(ask(witness, asking, abort.signal), asking.limitMs ?? LIMIT_MS)
  } catch (thrown) {
    return answerOf(witness, thrown instanceof TimeLimitError ? 'timed_out' : 'unreachable')
  } finally {
    abort.abort()
  }
}

/** Asks from the remembered size, then once more from the size that the witness names. */
async function ask(witness: Witness, asking: CosigningRequest, signal: AbortSignal): Promise<WitnessAnswer> {
  const { checkpoint, remembered } = asking
  const known = Math.min(remembered.get(witness.key.name) ?? 0, checkpoint.size)
  const first = await submit(witness, asking, known, signal)
  if (first.outcome !== 'conflict' || first.size === null || first.size === known) return first
  if (first.size > checkpoint.size) return { ...first, outcome: 'behind' }
  return submit(witness, asking, first.size, signal)
}

/** @see https://c2sp.org/tlog-witness */
async function submit(
  witness: Witness,
  { checkpoint, consistency, fetch }: CosigningRequest,
  oldSize: number,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  const needsProof = oldSize > 0 && oldSize < checkpoint.size
  const proof = needsProof ? await consistency(oldSize).catch(() => null) : []
  if (proof === null) return answerOf(witness, 'unprovable')
  // SECURITY: following a redirect would let the witness choose another host for this service to call.
  const response = await fetch(`${witness.url}/add-checkpoint`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: formatAddCheckpoint({ oldSize, proof, checkpoint: checkpoint.note }),
    redirect: 'manual',
    signal,
  })
  const body = await readUpTo(MOST_ANSWER_BYTES, response)
  if (body === null) return answerOf(witness, 'answer_too_large')
  if (response.status === 200) return readCosignature(witness, checkpoint, body)
  const namedSize = response.status === 409 ? readNamedSize(response, body) : null
  // For another root of the same size, tlog-witness 1.1.0 answers 422, and 1.0.0 answers 409.
  const isRefused =
    response.status === 422 || (response.status === 409 && (namedSize === null || namedSize === oldSize))
  if (isRefused && oldSize === checkpoint.size) return answerOf(witness, 'other_root', namedSize)
  if (response.status === 409) return answerOf(witness, 'conflict', namedSize)
  return answerOf(witness, REFUSALS.get(response.status) ?? 'failed')
}

/** Formats the body of a request to a witness. @see https://c2sp.org/tlog-witness */
export const formatAddCheckpoint = ({ oldSize, proof, checkpoint }: AddCheckpoint): string =>
  [`old ${oldSize}`, ...proof.map(encodeBase64), '', checkpoint].join('\n')

const REFUSALS: ReadonlyMap<number, WitnessOutcome> = new Map([
  [400, 'request_refused'],
  [403, 'log_signature_refused'],
  [404, 'origin_unknown'],
  [422, 'proof_refused'],
])

/** @see https://c2sp.org/tlog-witness */
function readCosignature(
  witness: Witness,
  { text, size }: CosigningRequest['checkpoint'],
  body: Uint8Array,
): WitnessAnswer {
  const read = parseNote(concatBytes(utf8ToBytes(`${text}\n`), body))
  // An empty line in the answer would turn its lines into text of the note.
  if (!read.ok || read.note.text !== text) return answerOf(witness, 'answer_malformed')
  const line = read.note.signatures.find((signature) => isLineOfKey(signature, witness.key))
  if (line === undefined) return answerOf(witness, 'cosignature_missing')
  if (verifyNote({ text, signatures: [line] }, [witness.key]) === null) return answerOf(witness, 'cosignature_wrong')
  return { ...answerOf(witness, 'cosigned', size), line: formatSignatureLine(line) }
}

/** @see https://c2sp.org/tlog-witness */
function readNamedSize(response: Response, body: Uint8Array): number | null {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const digits = /^(?<size>\d+)\n$/.exec(new TextDecoder().decode(body))?.groups?.['size']
  return type.trim().toLowerCase() === 'text/x.tlog.size' ? parseSize(digits ?? '') : null
}

const answerOf = ({ key }: Witness, outcome: WitnessOutcome, size: number | null = null): WitnessAnswer => ({
  witness: key.name,
  outcome,
  size,
  line: null,
})
