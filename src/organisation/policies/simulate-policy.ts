// Simulates another policy on the latest chat decisions in the database. Each step is its own turn, so that no call waits long.
// Writes nothing.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { outcomeOfCall } from '../journal/call-pages.ts'
import type { CallIndexStore } from '../usage/call-index.store.ts'
import type { Outcome } from '../../evidence/records/call-endings.ts'
import { loggedFacts, readFacts } from '../../policies/facts.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { simulateCall, type DecidedCall, type SimulatedCall } from '../../policies/document/simulate-call.ts'
import type { Stores, TakeTurn } from '../organisation-stores.ts'

/** `last`: how many decisions, newest first. */
export type SimulationRequest = { document: PolicyDocument; last: number }

/** A logged decision, and what the other policy would have decided. */
export type SimulatedDecision = SimulatedCall & {
  attestationId: string
  traceId: string
  position: number
  decidedAt: number
  outcome: Outcome
  /** The approval that the call waited for or ran with; null if there was none. */
  approvalId: string | null
  keyId: string
  model: string
  useCase: string | null
}

/** Positions read in one turn, and in all: settlements and other entries lie between decisions. */
const POSITIONS_AT_ONCE = 500
const MOST_POSITIONS = 50_000

type Parts = {
  stores: Pick<Stores, 'entries' | 'policies'>
  index: Pick<CallIndexStore, 'heldAmong'>
  takeTurn: TakeTurn
}

/**
 * Returns one decision for each call, newest first; fewer than requested if the database has no more. Call it when every entry is
 * counted.
 */
export async function simulatePolicy(
  { stores: { entries, policies }, index, takeTurn }: Parts,
  { document, last }: SimulationRequest,
  now: number,
): Promise<SimulatedDecision[]> {
  const documents = new Map<number, PolicyDocument | null>()
  const documentOf = (version: number): PolicyDocument | null => {
    const known = documents.get(version)
    if (known !== undefined) return known
    const found = policies.find(version)?.document ?? null
    documents.set(version, found)
    return found
  }
  const simulated: SimulatedDecision[] = []
  let before: number | null = null
  for (let seen = 0; seen < MOST_POSITIONS && simulated.length < last; seen += POSITIONS_AT_ONCE) {
    const range = { kind: 'chat_decision', before, positions: POSITIONS_AT_ONCE } as const
    const page = takeTurn(() => {
      const { rows, from } = entries.listLatest(range, now)
      const decisions = rows.flatMap((row) => readDecision(row, documentOf))
      const held = index.heldAmong(decisions.map(({ position }) => position))
      return { from, decisions: decisions.filter((one) => one.outcome !== 'held' || held.has(one.position)) }
    })
    for (const { call, ...decision } of page.decisions) simulated.push({ ...decision, ...simulateCall(document, call) })
    if (page.from === null) break
    before = page.from
    await scheduler.wait(0)
  }
  return simulated.slice(0, last)
}

const RecordSchema = once(() =>
  z.looseObject({
    attestation_id: z.string(),
    trace_id: z.string(),
    model: z.string(),
    outcome: z.string(),
  }),
)

const FactsSchema = once(() =>
  z.looseObject({
    ...loggedFacts(),
    approval_id: z.custom<ApprovalId>((value) => typeof value === 'string').optional(),
    reserve_microeur: z.number(),
    policy_version: z.number().optional(),
  }),
)

type LoggedDecision = Omit<SimulatedDecision, keyof SimulatedCall> & { call: DecidedCall }

/** Returns an empty array if the entry cannot be read. */
function readDecision(
  { position, at, entry, facts: text }: StoredEntry,
  documentOf: (version: number) => PolicyDocument | null,
): LoggedDecision[] {
  const record = RecordSchema().safeParse(JSON.parse(contentTextOf(entry).content))
  const facts = FactsSchema().safeParse(text === null ? null : JSON.parse(text))
  if (!record.success || !facts.success) return []
  const { attestation_id: attestationId, trace_id: traceId, model } = record.data
  const { policy_version: version, approval_id: approvalId = null, reserve_microeur: reserveMicroeur } = facts.data
  const outcome = outcomeOfCall({ record: record.data, facts: facts.data })
  const decided = readFacts(facts.data, model)
  const { keyId, useCase } = decided
  const call = { facts: decided, reserveMicroeur, scannedBy: version === undefined ? null : documentOf(version) }
  return [{ attestationId, traceId, position, decidedAt: at, outcome, approvalId, keyId, model, useCase, call }]
}
