// Answers HTTP requests about the public log. Heads and proofs come from the served files, so no reader waits for the object that
// writes. The form of a caller's id and sizes is checked before any storage is read.
import { noSigningKey } from '../evidence/records/configured-keys.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { absentMember } from '../platform/check-by-schema.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { log, logUnexpected } from '../platform/log.ts'
import type { LogConfig } from './public-log-config.ts'
import { DamagedTileError } from '../tiles/tiled-log.ts'
import { planConsistency, planInclusion, type KnownTree, type PlannedProof } from '../tiles/proofs-from-tiles.ts'
import type { InclusionProof } from '../evidence/tree/verify-proof.ts'
import { leavesUpTo, parseTilePath, type TileBytes } from '../evidence/tree/tiles.ts'
import { parseAttestationId, type AttestationPositions, type PublicLogReader } from './public-log-reader.ts'
import type { PublicConsistencyProof } from '../evidence/bundles/log-proofs.schema.ts'

export type PublicEvidence = { head: PublicHead; proof: InclusionProof }

type Dependencies = {
  served: PublicLogReader
  positions: AttestationPositions
  /** Null without a log key. Then no checkpoint is signed. */
  log: LogConfig | null
}

export type PublicLogService = ReturnType<typeof createPublicLogService>

export function createPublicLogService({ served, positions, log: logConfig }: Dependencies) {
  async function requireHead(maxAgeMs?: number): Promise<PublicHead> {
    const head = await served.readHead(maxAgeMs)
    if (head === null) throw noSigningKey()
    return head
  }

  /** Returns a head of at least this size, if one exists: another isolate may have shown it to the caller. */
  async function headOfAtLeast(size: number): Promise<PublicHead> {
    const head = await requireHead()
    return size <= head.tree_size ? head : requireHead(0)
  }

  async function prove<P>(c: AppContext, head: PublicHead, { ranges, make }: PlannedProof<P>): Promise<P> {
    const read = () => reachStorage(c, async () => make(await served.readNodes(ranges, head.tree_size)))
    const proof = await read()
    if (proof !== null) return proof
    served.distrustTiles()
    logDamagedTile(c)
    const other = await read()
    if (other !== null) return other
    served.distrustTiles()
    const again = (await reachStorage(c, () => served.restorePartialTiles())) ? await read() : null
    if (again === null) throw unreadable()
    return again
  }

  /** Returns the proof in the tree of `size`, or in the newest. Null until a head covers the position. */
  async function proveAtPosition(c: AppContext, position: number, size: number | null): Promise<PublicEvidence | null> {
    const head = await reachStorage(c, () => headOfAtLeast(position + 1))
    if (position >= head.tree_size) return null
    return { head, proof: await prove(c, head, planInclusion(position, size ?? head.tree_size, treeOf(head))) }
  }

  return {
    readPublicTreeHead: (c: AppContext): Promise<PublicHead> => reachStorage(c, () => requireHead()),

    /** @param days how many heads at most, one for each day that has one */
    listPublicTreeHeads: async (c: AppContext, days: number): Promise<PublicHead[]> =>
      (await reachStorage(c, () => served.listDays())).slice(0, days),

    async provePublicInclusion(c: AppContext, attestationId: string): Promise<InclusionProof> {
      const id = readAttestationId(attestationId)
      const wanted = readWantedSize(c.req.query('tree_size'))
      if (wanted === 0) throw wrongSize('tree_size')
      const newest = await reachStorage(c, () => headOfAtLeast(wanted ?? 0))
      if (wanted !== null && wanted > newest.tree_size) throw wrongSize('tree_size')
      const position = await reachStorage(c, () => positions.find(id))
      if (position === null) throw notLogged()
      if (wanted !== null && position >= wanted) throw wrongSize('tree_size')
      const included = await proveAtPosition(c, position, wanted)
      if (included === null) throw notLogged()
      return included.proof
    },

    /** Returns the newest head, and a receipt's proof in its tree; null if the log does not have it yet. */
    async provePublicEvidence(c: AppContext, attestationId: string): Promise<PublicEvidence | null> {
      const id = readAttestationId(attestationId)
      const position = await reachStorage(c, () => positions.find(id))
      return position === null ? null : proveAtPosition(c, position, null)
    },

    async provePublicConsistency(c: AppContext): Promise<PublicConsistencyProof> {
      const from = readTreeSize(c.req.query('old_size'))
      const wanted = readWantedSize(c.req.query('new_size'))
      if (from === 0 || (wanted !== null && wanted < from)) throw wrongSizes(c)
      const head = await reachStorage(c, () => headOfAtLeast(wanted ?? from))
      const to = wanted ?? head.tree_size
      if (from > to || to > head.tree_size) throw wrongSizes(c)
      return { v: 1, log: 'public', ...(await prove(c, head, planConsistency(from, to, treeOf(head)))) }
    },

    async readPublicCheckpoint(c: AppContext): Promise<string> {
      if (logConfig === null) throw noLogKey()
      const note = await reachStorage(c, () => served.readCheckpoint(logConfig))
      if (note === null) throw noLogKey()
      return note
    },

    async readPublicTile(c: AppContext, level: string, path: string): Promise<TileBytes> {
      const tile = parseTilePath(level, path)
      if (tile === null) throw noTile()
      const bytes = await reachStorage(c, async () =>
        served.readTile(tile, (await headOfAtLeast(leavesUpTo(tile))).tree_size),
      )
      if (bytes === null) throw noTile()
      return bytes
    },
  }
}

const treeOf = ({ tree_size: size, root_hash: root }: PublicHead): KnownTree => ({
  size,
  root: Uint8Array.fromHex(root),
})

const readWantedSize = (text: string | undefined): number | null => (text === undefined ? null : readTreeSize(text))

/** Runs work that needs storage. A failure is logged, and the caller may retry. */
async function reachStorage<T>(c: AppContext, work: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('storage', work)
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown
    if (thrown instanceof DamagedTileError) logDamagedTile(c)
    else logUnexpected(thrown, c.get('requestId'))
    throw unreadable()
  }
}

const logDamagedTile = (c: AppContext): void =>
  log({ level: 'error', event: 'public_log_failed', outcome: 'tile_damaged', request_id: c.get('requestId') })

const unreadable = (): AppError =>
  new AppError('service_unavailable', 'The public log cannot be read right now. Try again in a moment.', {
    retryAfterSeconds: 5,
  })

const noLogKey = (): AppError =>
  new AppError('service_unavailable', 'This service has no key to sign checkpoints with. Tell the operator.', {
    headers: { 'x-should-retry': 'false' },
  })

/** A receipt is usually public after eleven seconds. */
const notLogged = (): AppError =>
  new AppError(
    'not_found',
    'The public log does not have this attestation_id. A new receipt is there within 60 seconds.',
    { retryAfterSeconds: 10 },
  )

function readAttestationId(text: string): Uint8Array {
  const id = parseAttestationId(text)
  if (id !== null) return id
  const message = 'The attestation_id has a wrong form. Send the UUID from the record, in lower case.'
  const fields = [{ path: 'attestation_id', rule: 'a UUID of version 4' }]
  throw new AppError('invalid_request', message, { param: 'attestation_id', fields })
}

const noTile = (): AppError =>
  new AppError('not_found', 'The public log has no such tile yet, or not as wide. Check the size of the newest head.')

/** Returns 0 for a text that is not a size. No proof exists for 0. */
export const readTreeSize = (text: string | undefined): number =>
  /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0

export const wrongSize = (param: 'tree_size' | 'old_size'): AppError =>
  new AppError('invalid_request', WRONG_SIZE[param], { param, fields: [{ path: param, rule: 'a size of the log' }] })

export const wrongSizes = (c: AppContext): AppError =>
  c.req.query('old_size') === undefined ? absentMember('old_size', 'a size of the log', 'query') : wrongSize('old_size')

const WRONG_SIZE = {
  tree_size: 'The tree_size is wrong. Send a size with this entry in the log, at most the newest head’s.',
  old_size: 'The old_size or new_size is wrong. Send an old_size of 1 to new_size, and at most the newest head’s size.',
}
