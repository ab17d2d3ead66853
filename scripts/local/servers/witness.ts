// A local witness of transparency logs over HTTP (c2sp.org/tlog-witness). It shares no code with the service, so that an error of
// one shows in the other. See docs/transparency.md.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { serve, type RunningServer, type LocalRequest, type LocalResponse } from '../../local-http-server.ts'
import { lockFolder } from '../../lock-folder.ts'
import { isSignedBy, readCheckpoint, readLogVkey, strictBase64, type LogKey, type Tree } from './witness-checkpoint.ts'
import { WitnessState } from './witness-state.ts'

export type WitnessOptions = {
  /** The port. 0 uses any free port. */
  port?: number
  /** The folder that stores its key and the trees that it cosigned. */
  folder: string
  /** The name of its key. */
  name: string
  /** The vkeys of the logs that it watches. */
  logs: readonly string[]
  /** Milliseconds since the epoch. */
  clock?: () => number
}

/** A running witness. `url` is the submission prefix. */
export type RunningWitness = RunningServer & { vkey: string }

const MAX_BODY_BYTES = 256 * 1024

/** Starts the witness. Rejects if the port is taken, a vkey is malformed, or the folder is unusable or another witness's. */
export async function startWitness(options: WitnessOptions): Promise<RunningWitness> {
  const { port = 0, folder, name, logs, clock = Date.now } = options
  mkdirSync(folder, { recursive: true })
  const unlock = lockFolder(
    folder,
    `Another witness runs in ${folder}. Two with one key could cosign what contradicts each other.`,
  )
  try {
    const state = new WitnessState(folder, name)
    const context = { state, logs: logs.map(readLogVkey), seconds: () => Math.floor(clock() / 1000) }
    const { url, close } = await serve((request) => answer(request, context), { port, maxBytes: MAX_BODY_BYTES })
    return { url, vkey: state.vkey, close: () => close().finally(unlock) }
  } catch (thrown) {
    unlock()
    throw thrown
  }
}

type WitnessContext = { state: WitnessState; logs: readonly LogKey[]; seconds: () => number }

function answer({ method, path, body }: LocalRequest, context: WitnessContext): LocalResponse {
  if (path !== '/add-checkpoint') return reply(404, 'There is POST /add-checkpoint.\n')
  if (method !== 'POST') return reply(405, 'A checkpoint is posted.\n')
  if (body === null) return reply(413, 'A submission has at most 256 KiB here.\n')
  try {
    return addCheckpoint(body.toString(), context)
  } catch {
    return reply(500, 'It could not be stored, and is not cosigned.\n')
  }
}

/**
 * Checks a submitted checkpoint in the order of c2sp.org/tlog-witness, then stores and cosigns it.
 *
 * INVARIANT: nothing here waits, so no other submission can happen between the checks and the storing.
 */
function addCheckpoint(body: string, { state, logs, seconds }: WitnessContext): LocalResponse {
  const submitted = readSubmission(body)
  if (submitted === null) return reply(400, 'This is no submission of a checkpoint.\n')
  const { oldSize, proof, checkpoint } = submitted
  const keys = logs.filter(({ name }) => name === checkpoint.origin)
  if (keys.length === 0) return reply(404, 'This witness does not watch this log.\n')
  if (!keys.some((key) => isSignedBy(checkpoint, key))) return reply(403, 'The log has not signed this.\n')
  if (oldSize > checkpoint.size) return reply(400, 'The old size is larger than the new.\n')
  const latest = state.latest(checkpoint.origin)
  if (oldSize !== latest.size) return reply(409, `${latest.size}\n`, 'text/x.tlog.size')
  const hasWrongEmptyRoot = checkpoint.size === 0n && !checkpoint.root.equals(EMPTY_ROOT)
  if (hasWrongEmptyRoot || !isConsistent(latest, checkpoint, proof)) {
    return reply(422, 'It does not continue what this witness has cosigned.\n')
  }
  const { size, root, text } = checkpoint
  state.advance(checkpoint.origin, { size, root })
  return reply(200, state.cosign(text, seconds()))
}

const reply = (status: number, body: string, type = 'text/plain; charset=utf-8'): LocalResponse => ({
  status,
  headers: { 'content-type': type, 'cache-control': 'no-store' },
  body,
})

const EMPTY_ROOT = createHash('sha256').digest()

const MAX_HASHES = 63

function readSubmission(body: string) {
  const parts = /^old (?<old>0|[1-9]\d{0,18})\n(?<hashes>(?:.+\n)*)\n(?<note>[^]+)$/.exec(body)?.groups
  const hashes = (parts?.['hashes'] ?? '').split('\n').slice(0, -1).map(strictBase64)
  const proof = hashes.filter((hash) => hash?.length === 32).filter((hash) => hash !== null)
  const checkpoint = readCheckpoint(parts?.['note'] ?? '')
  const isWhole = proof.length === hashes.length && proof.length <= MAX_HASHES
  return isWhole && checkpoint !== null ? { oldSize: BigInt(parts?.['old'] ?? 0), proof, checkpoint } : null
}

/** Checks a consistency proof by RFC 9162, section 2.1.4.2. `old` is not larger than `grown`. */
function isConsistent(old: Tree, grown: Tree, proof: readonly Buffer[]): boolean {
  if (old.size === 0n) return proof.length === 0
  if (old.size === grown.size) return proof.length === 0 && old.root.equals(grown.root)
  const path = isPowerOfTwo(old.size) ? [old.root, ...proof] : [...proof]
  const [first, ...rest] = path
  if (first === undefined || proof.length === 0) return false
  let [fn, sn] = [old.size - 1n, grown.size - 1n]
  while ((fn & 1n) === 1n) [fn, sn] = [fn >> 1n, sn >> 1n]
  let [fr, sr] = [first, first]
  for (const hash of rest) {
    if (sn === 0n) return false
    if ((fn & 1n) === 1n || fn === sn) {
      fr = hashNode(hash, fr)
      sr = hashNode(hash, sr)
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n]
    } else {
      sr = hashNode(sr, hash)
    }
    ;[fn, sn] = [fn >> 1n, sn >> 1n]
  }
  return sn === 0n && fr.equals(old.root) && sr.equals(grown.root)
}

const isPowerOfTwo = (number: bigint): boolean => (number & (number - 1n)) === 0n

const hashNode = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
