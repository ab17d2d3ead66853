// Lists and shows erasures for the operator, and applies them again after a database was restored. Completed erasures are stored
// in D1 and in the operator's own log, because a restore may have set back either.
import type { Act } from '../../organisation/append-act.ts'
import type { CompletedErasure, Erasure, OrganisationErasureRequest } from '../../organisation/erasure/erasure.ts'
import type { ErasuresStore } from '../../organisation/erasure/erasures.store.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import { OPERATOR_LOG_NAME, type ErasureId } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/config.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

/** `only_owner`: the person is the only owner of an organisation. */
export type ReapplyResult =
  | { outcome: 'reapplied'; erasure: Erasure }
  | { outcome: 'cancelled' }
  | { outcome: 'only_owner' }

type ReapplyFailure = Exclude<ReapplyResult['outcome'], 'reapplied'>

type Deps = {
  erasures: ErasuresStore
  people: Pick<PersonErasureService, 'erase'>
  open: OpenOrganisation
}

export type OperatorErasuresService = ReturnType<typeof createOperatorErasuresService>

export function createOperatorErasuresService({ erasures, people, open }: Deps) {
  const ledger = () => open({ id: OPERATOR_LOG_NAME, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })

  async function find(id: string): Promise<Erasure | null> {
    const [indexed, erased] = await Promise.all([erasures.find(id), ledger().erasure.findErased(id)])
    return mergeErasure(indexed, erased)
  }

  async function repeat(request: OrganisationErasureRequest, record: string | null): Promise<void> {
    await erasures.index({ ...request, state: 'running', record: null })
    await open({ id: request.subject, jurisdiction: request.jurisdiction }).erasure.repeat(request, record)
  }

  /** Schedules the erasure in the object again, which may have lost the request, or have cancelled or completed it. */
  async function scheduleAgain(request: OrganisationErasureRequest, act: Act): Promise<ReapplyFailure | null> {
    const { subject: id, jurisdiction } = request
    const { erasure } = await open({ id, jurisdiction }).erasure.schedule({ request, isImmediate: false }, act)
    if (erasure === null) {
      await erasures.cancel(request.id)
      return 'cancelled'
    }
    if (erasure.state === 'completed') await repeat(erasure, erasure.record)
    else if (erasure.state === 'running') await erasures.index({ ...erasure, record: null })
    else await erasures.indexScheduled(erasure)
    return null
  }

  async function reapplyTo({ state, record, ...request }: Erasure, act: Act): Promise<ReapplyFailure | null> {
    if (state === 'cancelled') return 'cancelled'
    if (request.jurisdiction === null) {
      if (state === 'scheduled') return null
      const running = { ...request, state: 'running', record: null } as const
      await erasures.index(running)
      return (await people.erase(running)) ? null : 'only_owner'
    }
    if (state === 'scheduled') return scheduleAgain(request, act)
    await repeat(request, record)
    return null
  }

  return {
    /** Lists erasures, newest first, after `cursor` (an id). */
    async list(limit: number, cursor: string | undefined, requestId: string): Promise<Erasure[]> {
      await ledger().log.recordAct(byOperator('erasure.list', requestId))
      const [indexed, erased] = await Promise.all([
        erasures.list(limit, cursor),
        ledger().erasure.listErased(limit, cursor),
      ])
      const ids = new Set([...indexed, ...erased].map(({ id }) => id))
      return [...ids]
        .toSorted()
        .toReversed()
        .slice(0, limit)
        .flatMap(
          (id) =>
            mergeErasure(indexed.find((one) => one.id === id) ?? null, erased.find((one) => one.id === id) ?? null) ??
            [],
        )
    },

    async show(id: ErasureId, requestId: string): Promise<Erasure | null> {
      await ledger().log.recordAct(byOperator('erasure.show', requestId, id))
      return find(id)
    },

    /**
     * Repeats an erasure. Returns null if the id is unknown. It is safe to call twice, because every step can be repeated.
     * A scheduled erasure stays scheduled, and is sent to its object again.
     */
    async reapply(id: ErasureId, requestId: string): Promise<ReapplyResult | null> {
      const act = byOperator('erasure.reapply', requestId, id)
      await ledger().log.recordAct(act)
      const seen = await find(id)
      if (seen === null) return null
      const notDone = await reapplyTo(seen, act)
      if (notDone !== null) return { outcome: notDone }
      return { outcome: 'reapplied', erasure: (await find(id)) ?? seen }
    },
  }
}

/** Merges both sources. The operator's log proves completion, even if a restored D1 disagrees. A running one stays running. */
function mergeErasure(indexed: Erasure | null, erased: CompletedErasure | null): Erasure | null {
  if (indexed === null || erased === null) return indexed ?? (erased && { ...erased, state: 'completed' })
  const state = indexed.state === 'running' ? 'running' : 'completed'
  return { ...indexed, state, record: erased.record ?? indexed.record }
}

const byOperator = (act: string, requestId: string, id?: ErasureId): Act => ({
  actor: 'operator',
  act,
  requestId,
  ...(id !== undefined && { content: { erasure_id: id } }),
})
