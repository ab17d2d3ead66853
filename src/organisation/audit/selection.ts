// Reads the log entries of the calls that a filter lists, each with its inclusion proof in one tree: a call's decision, its settlement,
// and of a call with an approval the refusal that asked for it and people's decisions.
import { leafHash } from '../../evidence/entry.ts'
import { inclusionProverAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { findApproval } from '../approvals/read-approvals.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import type { ObjectParts } from '../object-parts.ts'
import { readTrail, type TrailCall, type TrailQuery } from './audit-trail.ts'
import type { ReadLeaf, WithheldReason } from './leaf-reader.ts'

export type ProvenLeaf = { leaf: ReadLeaf; auditPath: readonly string[] }

/** The leaves of one call. The first is its decision. */
export type SelectedCall = readonly ProvenLeaf[]

/** `unreadable`, `next`: as of a page of the trail. */
export type SelectionPage = { calls: SelectedCall[]; unreadable: number; next: number | null }

type Parts = Pick<ObjectParts, 'sql' | 'stores' | 'turns' | 'usage' | 'archive' | 'log' | 'logReader' | 'newLeafReader'>

type Part = { readonly position: number } & (StoredEntry | { readonly withheld: WithheldReason })

/** Reads one page of calls that the tree includes. Rejects if R2 fails; then retry. */
export async function readSelection(
  parts: Parts,
  wanted: TrailQuery,
  tree: KnownTree,
  now: number,
): Promise<SelectionPage> {
  const before = Math.min(wanted.before ?? tree.size, tree.size)
  const { calls, unreadable, next } = await readTrail(parts, { ...wanted, before }, now)
  const stepsOf = await readSteps(parts, calls, now)
  const partsOfCalls = calls.map((call) =>
    [call.decision, ...settlementOf(call), ...stepsOf(call)].filter(({ position }) => position < tree.size),
  )
  const positions = partsOfCalls.flatMap((one) => one.map(({ position }) => position))
  if (positions.length === 0) return { calls: [], unreadable, next }
  const prove = await inclusionProverAt(parts.log, positions, tree)
  const selected: SelectedCall[] = []
  for (const partsOfCall of partsOfCalls) {
    selected.push(partsOfCall.map((part) => proveLeaf(part, prove)))
    // Proofs take a millisecond each: other calls run in between.
    await scheduler.wait(0)
  }
  const readable = selected.filter(([decision]) => decision !== undefined && 'entry' in decision.leaf)
  return { calls: readable, unreadable: unreadable + selected.length - readable.length, next }
}

/** INVARIANT: no entry is returned that its leaf's hash does not cover. */
function proveLeaf(part: Part, prove: Awaited<ReturnType<typeof inclusionProverAt>>): ProvenLeaf {
  const { leaf_hash: hash, audit_path: auditPath } = prove(part.position)
  const leaf = { index: part.position, leafHash: Uint8Array.fromHex(hash) }
  if ('withheld' in part) return { leaf: { ...leaf, withheld: part.withheld }, auditPath }
  const isCovered = leafHash(part.entry).toHex() === hash
  return { leaf: isCovered ? { ...leaf, entry: part } : { ...leaf, withheld: 'unreadable' }, auditPath }
}

/** Empty if the call is not settled, or its settlement is not known. */
function settlementOf({ ending }: TrailCall): Part[] {
  if (ending.state === 'settled') return [ending.settlement]
  return ending.state === 'unreadable' && ending.position !== null
    ? [{ position: ending.position, withheld: 'unreadable' }]
    : []
}

/** Reads the refusals and people's decisions of calls with an approval. Returns those of a call, in the log's order. */
async function readSteps(
  { stores, archive }: Parts,
  calls: readonly TrailCall[],
  now: number,
): Promise<(call: TrailCall) => Part[]> {
  const positionsOf = ({ facts: { approval_id: id }, decision, record }: TrailCall): number[] => {
    const approval = id === undefined ? null : findApproval(stores, id)
    if (approval === null) return []
    const steps = [approval.subject_position, ...approval.decisions.map(({ position }) => position)]
    // An approval whose run reached no provider may be decided again after that run.
    const isStepOf = (position: number) => record.outcome !== 'ALLOWED' || position < decision.position
    return steps.filter((position) => position !== decision.position && isStepOf(position))
  }
  const wanted = new Map(calls.map((call) => [call, positionsOf(call)]))
  const { entries } = await archive.readPositions([...wanted.values()].flat(), now)
  const found = new Map<number, Part>(entries.map((entry) => [entry.position, entry]))
  for (const position of [...wanted.values()].flat()) {
    if (!found.has(position)) found.set(position, { position, withheld: await whyMissing(archive, position, now) })
  }
  return (call) => (wanted.get(call) ?? []).flatMap((position) => found.get(position) ?? [])
}

async function whyMissing(archive: Parts['archive'], position: number, now: number): Promise<WithheldReason> {
  const found = await archive.findEntry(position, now)
  if (found.outcome === 'unreadable' && found.cause === 'storage_failed') throw new Error('the storage did not answer')
  return found.outcome === 'not_kept' ? 'retention' : 'unreadable'
}
