// Corrects the cost of an interrupted call, which was settled by an estimate. The act is an entry of the log, and budgets and
// counts follow it. A call is correctable until its day is closed, because nothing is added to a closed day.
import { contentOf } from '../../evidence/entry.ts'
import { utcDay } from '../../platform/time.ts'
import { alertThresholds } from '../admit/budget-alerts.ts'
import { appendAct, type Act } from '../append-act.ts'
import { COST_CORRECTED } from '../journal/state/cost-correction.schema.ts'
import type { ObjectParts } from '../object-parts.ts'
import { CallIndexStore } from './call-index.store.ts'
import { UsageStore } from './usage.store.ts'

export type WantedCorrection = { attestationId: string; costMicroeur: number; reason: string }

export type CostCorrection =
  /** `position`: of the act's entry. `at`: in milliseconds. */
  | { outcome: 'corrected'; position: number; at: number; beforeMicroeur: number }
  | { outcome: 'not_found' | 'not_interrupted' | 'day_closed' }

/** Corrects a cost in a turn in which every entry is counted. Rejects if R2 fails; then retry. */
export async function correctCost(
  { sql, stores, turns, usage, logReader }: Pick<ObjectParts, 'sql' | 'stores' | 'turns' | 'usage' | 'logReader'>,
  { attestationId, costMicroeur, reason }: WantedCorrection,
  act: Act,
): Promise<CostCorrection> {
  const call = await logReader.findReceipt(attestationId)
  if (call === null) return { outcome: 'not_found' }
  return usage.answer(turns.takeUntilClosed, (): CostCorrection => {
    const { entries, costs, journal } = stores
    const found = new CallIndexStore(sql).find(call)
    const settlement = found?.settlement == null ? null : entries.find(found.settlement)
    if (found?.ending !== 'interrupted' || settlement === null) return { outcome: 'not_interrupted' }
    // The cost of an ending that this version does not know is no estimate.
    if (contentOf(settlement.entry)['ended'] !== 'interrupted') return { outcome: 'not_interrupted' }
    if (utcDay(found.at) <= new UsageStore(sql).progress().closedThrough) return { outcome: 'day_closed' }
    const earlier = costs.findCorrection(call)
    const beforeMicroeur = earlier?.microeur ?? Number(contentOf(settlement.entry)['cost_microeur'])
    const recorded = {
      call,
      attestation_id: attestationId,
      decided_at: new Date(found.at).toISOString(),
      counted_at: new Date(entries.find(call)?.at ?? found.at).toISOString(),
      key_id: found.keyId,
      model: found.model,
      use_case: found.useCase,
      cost_microeur: costMicroeur,
      before_microeur: beforeMicroeur,
      was_estimated: earlier === null,
      reason,
    }
    const now = Date.now()
    const position = appendAct(journal, { ...act, content: recorded }, now, { outcome: COST_CORRECTED })
    costs.writeCorrection(call, { microeur: costMicroeur, position })
    if (found.keyId !== null) alertThresholds(stores, found.keyId, now)
    return { outcome: 'corrected', position, at: now, beforeMicroeur }
  })
}
