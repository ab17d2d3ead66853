// What the organisation's transparency log says of itself: its newest head, and proofs from any of its sizes. Runs inside a
// single synchronous transaction, so a size and its root belong together. Reads only, but for counting the call.
import type { InvalidKey } from '../keys/key-standing.policy.ts'
import type { RateState } from '../keys/limits.policy.ts'
import type { ReceiptsStore } from '../ledger/receipts.store.ts'
import type { TreeStore } from '../ledger/tree.store.ts'
import type { ChatStores } from './admit-chat.ts'
import { countCall, findRoom, rateOfFreeCall, type ChatCaller, type ClosingRefusal, type RateRefusal } from './room.ts'

/** Any good gateway key of the organisation may look: there is nothing to see but hashes, and how many there are. */
export type LogAnswer<T> =
  | { outcome: 'admitted'; rate: RateState; answer: T }
  | InvalidKey
  | RateRefusal
  | ClosingRefusal

export type LogHead = { size: number; root: Uint8Array }

/** Which tree a proof is wanted of; null: the newest. */
export type WantedSize = number | null

export type WantedSizes = { from: number; to: WantedSize }

/** Where a leaf is in a tree, and the path from it to the root. */
export type Inclusion = { leafHash: Uint8Array; leafIndex: number; tree: LogHead; path: Uint8Array[] }

/** `wrong_size`: the log has no such size, or had not got the leaf yet. */
export type InclusionAnswer =
  | ({ outcome: 'included' } & Inclusion)
  | { outcome: 'not_found' }
  | { outcome: 'wrong_size' }

export type ConsistencyAnswer =
  | { outcome: 'consistent'; from: LogHead; to: LogHead; path: Uint8Array[] }
  | { outcome: 'wrong_size' }

type Tree = { tree: TreeStore }

/** Counted like the list of models: for the minute, not for the month. */
export function readLog<T>(
  stores: Pick<ChatStores, 'erasure' | 'keys' | 'limits' | 'settings' | 'spending'>,
  caller: ChatCaller,
  now: number,
  read: () => T,
): LogAnswer<T> {
  const room = findRoom(stores, caller, now)
  if (room.outcome !== 'room') return room
  countCall(stores, room)
  return { outcome: 'admitted', rate: rateOfFreeCall(room), answer: read() }
}

export const readTreeHead = ({ tree }: Tree): LogHead => headAt(tree, tree.size())

export function proveInclusion(
  { tree, receipts }: Tree & { receipts: ReceiptsStore },
  attestationId: string,
  wanted: WantedSize,
): InclusionAnswer {
  const leafIndex = receipts.findPosition(attestationId)
  if (leafIndex === null) return { outcome: 'not_found' }
  const newest = tree.size()
  const size = wanted ?? newest
  if (size <= leafIndex || size > newest) return { outcome: 'wrong_size' }
  return { outcome: 'included', ...includedAt(tree, leafIndex, size) }
}

export const includedAt = (tree: TreeStore, leafIndex: number, size: number): Inclusion => ({
  leafHash: tree.leafHash(leafIndex),
  leafIndex,
  tree: headAt(tree, size),
  path: tree.inclusionProof(leafIndex, size),
})

export function proveConsistency({ tree }: Tree, sizes: WantedSizes): ConsistencyAnswer {
  const { from } = sizes
  const newest = tree.size()
  const to = sizes.to ?? newest
  if (from < 1 || from > to || to > newest) return { outcome: 'wrong_size' }
  return {
    outcome: 'consistent',
    from: headAt(tree, from),
    to: headAt(tree, to),
    path: tree.consistencyProof(from, to),
  }
}

const headAt = (tree: TreeStore, size: number): LogHead => ({ size, root: tree.rootAt(size) })
