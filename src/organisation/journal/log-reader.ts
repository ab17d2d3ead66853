// Reads the organisation's log: finds receipts, reads calls, proves inclusion and consistency, and gathers the evidence of one
// call. `tree` is the log in the turn that admitted the caller; entries may have been archived since.
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/attestation-record.ts'
import { coverageNamedIn, type StoredEntry } from './archive-object.ts'
import type { Archive, EntriesRange, FoundSettlement } from './archive.ts'
import type { EntriesStore } from './entries.store.ts'
import { proveConsistencyAt, proveInclusionAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { TiledLog } from '../../tiles/tiled-log.ts'
import type { ConsistencyProof, InclusionProof } from '../../evidence/tree/verify-proof.ts'
import { CallPages, type CallEnding } from './call-pages.ts'

/** The tree size that a proof is for; null for the newest. */
export type ProofSize = number | null

export type ProofSizes = { from: number; to: ProofSize }

/** `wrong_size`: the log has no such size, or the leaf is not yet in a tree of that size. */
export type InclusionAnswer =
  | ({ outcome: 'included' } & InclusionProof)
  | { outcome: 'not_found' }
  | { outcome: 'wrong_size' }

export type ConsistencyAnswer = ({ outcome: 'consistent' } & ConsistencyProof) | { outcome: 'wrong_size' }

export type Evidence = {
  outcome: 'found'
  record: UnsignedRecord
  facts: string | null
  inclusion: InclusionProof
  /** Null while the call runs, and for a refusal, which ends nothing. `facts`: the JSON of the answer's salt, if it has one. */
  settlement: (ProvenEntry & { facts: string | null }) | null
  /** The coverage entry that the facts name; null if they name none, or it cannot be read. */
  coverage: ProvenEntry | null
}

/** An entry's bytes, and the proof that it is in the tree. */
export type ProvenEntry = { entry: Uint8Array; inclusion: InclusionProof }

/** `not_kept`: it has expired. */
type Absent = { outcome: 'not_found' | 'not_kept' | 'unreadable' }

export type EvidenceAnswer = Evidence | Absent

export type RecordedCall = {
  outcome: 'found'
  decision: StoredEntry
  record: UnsignedRecord
  /** Null while the call runs, and for a refusal, which ends nothing. */
  settlement: StoredEntry | null
}

type Dependencies = {
  log: TiledLog
  entries: EntriesStore
  archive: Archive
  /** Returns the position of an archived receipt; null if the public log has none from this organisation. */
  findArchived: (attestationId: string) => Promise<number | null>
  /** True while the decision at a position is not settled. */
  isOpen: (position: number) => boolean
}

export class LogReader {
  readonly #parts: Dependencies

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  /** Rejects if R2 or the public log's index fails or does not answer: ask again. */
  async proveInclusion(tree: KnownTree, attestationId: string, wanted: ProofSize): Promise<InclusionAnswer> {
    const position = await this.findReceipt(attestationId)
    return position === null ? { outcome: 'not_found' } : this.proveEntry(tree, position, wanted)
  }

  /** Proves the entry at a position. Rejects as `proveInclusion` does. */
  async proveEntry(tree: KnownTree, position: number, wanted: ProofSize): Promise<InclusionAnswer> {
    if (position < 0 || position >= tree.size) return { outcome: 'not_found' }
    const size = wanted ?? tree.size
    if (size <= position || size > tree.size) return { outcome: 'wrong_size' }
    return { outcome: 'included', ...(await this.#include(position, size, tree)) }
  }

  /** Rejects as `proveInclusion` does. */
  async proveConsistency(tree: KnownTree, { from, to }: ProofSizes): Promise<ConsistencyAnswer> {
    const sizes = { oldSize: from, newSize: to ?? tree.size }
    if (from < 1 || from > sizes.newSize || sizes.newSize > tree.size) return { outcome: 'wrong_size' }
    return { outcome: 'consistent', ...(await proveConsistencyAt(this.#parts.log, sizes, tree)) }
  }

  /** Rejects as `proveInclusion` does. */
  async gatherEvidence(tree: KnownTree, attestationId: string, now: number): Promise<EvidenceAnswer> {
    const found = await this.findCall(attestationId, now)
    if (found.outcome !== 'found') return found
    const { decision, record, settlement } = found
    if (decision.position >= tree.size) return { outcome: 'not_found' }
    const evidence = {
      outcome: 'found',
      record,
      facts: decision.facts,
      inclusion: await this.#include(decision.position, tree.size, tree),
      coverage: await this.proveCoverage(tree, coverageNamedIn(decision), now),
    } as const
    if (settlement === null || settlement.position >= tree.size) return { ...evidence, settlement: null }
    const inclusion = await this.#include(settlement.position, tree.size, tree)
    return { ...evidence, settlement: { entry: settlement.entry, facts: settlement.facts, inclusion } }
  }

  /** Proves a coverage entry. Null if there is no such entry, or it cannot be read. Rejects as `proveInclusion` does. */
  async proveCoverage(tree: KnownTree, position: number | null, now: number): Promise<ProvenEntry | null> {
    if (position === null || position >= tree.size) return null
    const found = await this.#parts.archive.findEntry(position, now)
    if (found.outcome === 'unreadable' && found.cause === 'storage_failed')
      throw new Error('the storage did not answer')
    if (found.outcome !== 'found' || found.kind !== 'coverage') return null
    return { entry: found.entry, inclusion: await this.#include(position, tree.size, tree) }
  }

  /** Rejects as `proveInclusion` does. */
  async findCall(attestationId: string, now: number): Promise<RecordedCall | Absent> {
    const position = await this.findReceipt(attestationId)
    return position === null ? { outcome: 'not_found' } : this.readCall(position, now)
  }

  /** Reads the call whose receipt is at a position. Rejects as `proveInclusion` does. */
  async readCall(position: number, now: number): Promise<RecordedCall | Absent> {
    const { archive } = this.#parts
    const decision = await archive.findEntry(position, now)
    if (decision.outcome !== 'found') return withoutCause(decision)
    const record = readReceiptEntry(decision.entry)
    if (record === null) return { outcome: 'unreadable' }
    const found = { outcome: 'found', decision, record } as const
    const place = record.outcome === 'ALLOWED' ? await this.#findSettlement(position, now) : NO_SETTLEMENT
    if (place.outcome === 'unreadable') return withoutCause(place)
    if (place.outcome === 'not_found') return { ...found, settlement: null }
    const settlement = await archive.findEntry(place.position, now)
    return settlement.outcome === 'found' ? { ...found, settlement } : withoutCause(settlement)
  }

  /** Pages through the calls of a range, the latest first. `size`: the log's size. */
  pageCalls(range: EntriesRange & { size: number }, now: number): CallPages {
    const { archive, isOpen } = this.#parts
    const findEnding = (position: number): Promise<CallEnding> => this.#findEnding(position, now)
    return new CallPages({ archive, isOpen, findEnding }, range, now)
  }

  async #findEnding(position: number, now: number): Promise<CallEnding> {
    const { archive, isOpen } = this.#parts
    if (isOpen(position)) return { state: 'open' }
    const place = await this.#findSettlement(position, now)
    if (place.outcome === 'not_found') return { state: 'not_kept' }
    if (place.outcome === 'unreadable') return { state: 'unreadable', position: null }
    const settlement = await archive.findEntry(place.position, now)
    if (settlement.outcome === 'not_kept') return { state: 'not_kept' }
    if (settlement.outcome === 'found') return { state: 'settled', settlement }
    return { state: 'unreadable', position: settlement.cause === 'leaf_differs' ? place.position : null }
  }

  /** Returns a receipt's position, also if its details have expired; null if unknown. Rejects as `proveInclusion` does. */
  async findReceipt(attestationId: string): Promise<number | null> {
    const { entries, findArchived } = this.#parts
    return entries.findReceipt(attestationId) ?? findArchived(attestationId)
  }

  async #findSettlement(settles: number, now: number): Promise<FoundSettlement> {
    const { entries, archive, isOpen } = this.#parts
    if (isOpen(settles)) return NO_SETTLEMENT
    // An archived decision is older than all rows in the database: most of them would be searched in vain.
    const isArchived = entries.timeOf(settles) === null
    const left = isArchived ? await archive.findSettlement(settles, now) : NO_SETTLEMENT
    if (left.outcome === 'found') return left
    const position = entries.findSettlement(settles)
    // A settlement that was found in neither place may have been archived meanwhile.
    return position === null ? archive.findSettlement(settles, now) : { outcome: 'found', position }
  }

  #include(position: number, size: number, tree: KnownTree): Promise<InclusionProof> {
    return proveInclusionAt(this.#parts.log, { position, size }, tree)
  }
}

const NO_SETTLEMENT = { outcome: 'not_found' } as const

const withoutCause = <Outcome>({ outcome }: { outcome: Outcome }) => ({ outcome })
