// The public log over HTTP: heads and proofs made from what is served, so that no reader ever waits for the object that
// writes the log, nor that one for a reader.
import { noSigningKey } from '../../attestation/configured-keys.ts'
import type { PublicHead } from '../../attestation/tree-head.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { framesOf, log } from '../../platform/log.ts'
import {
  consistencyProof,
  consistencyRanges,
  inclusionProof,
  inclusionRanges,
  rootAt,
  type LeafRange,
} from '../merkle.ts'
import { nativeSha256 } from '../native-sha256.ts'
import { readTreeSize } from '../tree-size.ts'
import type { AttestationPositions } from './attestation-positions.ts'
import type { PublicConsistencyProof, PublicInclusionProof } from './public-log.schema.ts'
import type { ServedLog } from './served-log.ts'
import { parseTilePath, type TileBytes } from './tiles.ts'

type Dependencies = { served: ServedLog; positions: AttestationPositions }

export type PublicLogService = ReturnType<typeof createPublicLogService>

export function createPublicLogService({ served, positions }: Dependencies) {
  async function headAt(maxAgeMs?: number): Promise<PublicHead> {
    const head = await served.readHead(maxAgeMs)
    if (head === null) throw noSigningKey()
    return head
  }

  /** A head that covers the position, if there is one by now. */
  async function headOver(position: number): Promise<PublicHead> {
    const head = await headAt()
    return position < head.tree_size ? head : headAt(FRESH_MS)
  }

  return {
    readPublicTreeHead: (c: AppContext): Promise<PublicHead> => reach(c, () => headAt()),

    async provePublicInclusion(c: AppContext, attestationId: string): Promise<PublicInclusionProof> {
      const wanted = c.req.query('tree_size')
      const position = await reach(c, () => positions.find(attestationId))
      if (position === 'no_id') throw noAttestationId()
      if (position === null) throw notLogged()
      const head = await reach(c, () => headOver(position))
      if (position >= head.tree_size) throw notLogged()
      const size = wanted === undefined ? head.tree_size : readTreeSize(wanted)
      if (size <= position || size > head.tree_size) throw wrongSize('tree_size')
      const leaf = { start: position, end: position + 1 }
      const ranges = [leaf, wholeOf(size), ...inclusionRanges(position, size)]
      const read = await reach(c, () => served.readNodes(ranges, head.tree_size))
      return {
        leaf_hash: read(0, position).toHex(),
        leaf_index: position,
        tree_size: size,
        root_hash: rootAt(size, read, nativeSha256).toHex(),
        audit_path: inclusionProof(position, size, read, nativeSha256).map((hash) => hash.toHex()),
      }
    },

    async provePublicConsistency(c: AppContext): Promise<PublicConsistencyProof> {
      const head = await reach(c, () => headAt())
      const wanted = c.req.query('new_size')
      const from = readTreeSize(c.req.query('old_size'))
      const to = wanted === undefined ? head.tree_size : readTreeSize(wanted)
      if (from < 1 || from > to || to > head.tree_size) throw wrongSize('old_size')
      const ranges = [wholeOf(from), wholeOf(to), ...consistencyRanges(from, to)]
      const read = await reach(c, () => served.readNodes(ranges, head.tree_size))
      return {
        v: 1,
        log: 'public',
        old_size: from,
        new_size: to,
        old_root: rootAt(from, read, nativeSha256).toHex(),
        new_root: rootAt(to, read, nativeSha256).toHex(),
        consistency_path: consistencyProof(from, to, read, nativeSha256).map((hash) => hash.toHex()),
      }
    },

    async readPublicTile(c: AppContext, level: string, path: string): Promise<TileBytes> {
      const tile = parseTilePath(level, path)
      if (tile === null) throw noTile()
      const bytes = await reach(c, async () => served.readTile(tile, (await headAt()).tree_size))
      if (bytes === null) throw noTile()
      return bytes
    },
  }
}

/** How old a head may be that does not cover what the index knows already. */
const FRESH_MS = 500

const wholeOf = (size: number): LeafRange => ({ start: 0, end: size })

/** Runs what needs storage. What fails there is logged, and answered as something to try again. */
async function reach<T>(c: AppContext, work: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('storage', work)
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown
    const where = { error_class: thrown instanceof Error ? thrown.name : typeof thrown, thrown_at: framesOf(thrown) }
    log({ level: 'error', event: 'unexpected_error', request_id: c.get('requestId'), ...where })
    throw new AppError('service_unavailable', 'The public log cannot be read right now. Try again.', {
      retryAfterSeconds: 5,
    })
  }
}

/** A receipt is usually there after seven seconds. */
const notLogged = (): AppError =>
  new AppError(
    'not_found',
    'The public log does not have this attestation_id, or not yet: it takes receipts in within 60 seconds.',
    { retryAfterSeconds: 10 },
  )

const noAttestationId = (): AppError =>
  new AppError('invalid_request', 'An attestation_id is a UUID of version 4 in lower case, as it is in the record.', {
    param: 'attestation_id',
    fields: [{ path: 'attestation_id', rule: 'a UUID of version 4' }],
  })

const noTile = (): AppError =>
  new AppError('not_found', 'The log of the size of its newest head has no such tile, or not as wide.')

const wrongSize = (param: 'tree_size' | 'old_size'): AppError =>
  new AppError('invalid_request', WRONG_SIZE[param], { param, fields: [{ path: param, rule: 'a size of the log' }] })

const WRONG_SIZE = {
  tree_size: 'tree_size is a whole number: a size at which the log had this receipt, at most that of its newest head.',
  old_size:
    'old_size is a whole number from 1 to new_size, and new_size at most the size of the newest head, which it is if left out.',
}
