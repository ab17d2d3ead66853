// The operator looks at erasures and, after a database was taken back, does those again that were completed; what was asked for
// stays asked for. What was completed is known from D1 and from the operator's own ledger: either may be the one that was taken
// back.
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { Act } from '../../organisation/acts.ts'
import type { Erased } from '../../organisation/erasure/erased.store.ts'
import type { ErasureRequest } from '../../organisation/erasure/erasure-state.store.ts'
import type { ErasuresStore, IndexedErasure } from '../../organisation/erasure/erasures.store.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'
import { type ErasureId, OPERATOR_LEDGER, type OrganisationId, parseId, type PersonId } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/config.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

/** As the operator sees it. `subject`: org_… or usr_…. */
export type SeenErasure = Pick<IndexedErasure, 'id' | 'requestedBy' | 'requestedAt' | 'dueAt' | 'state' | 'record'> & {
  subject: string
  /** Of an organisation. */
  jurisdiction: Jurisdiction | null
}

/** `only_owner`: a person without whom an organisation would have none. */
export type Reapplied =
  | { outcome: 'reapplied'; erasure: SeenErasure }
  | { outcome: 'cancelled' }
  | { outcome: 'only_owner' }

type NotDone = Exclude<Reapplied['outcome'], 'reapplied'>

type Deps = {
  erasures: ErasuresStore
  people: Pick<PersonErasureService, 'erase'>
  open: OpenOrganisation
}

export type OperatorErasuresService = ReturnType<typeof createOperatorErasuresService>

export function createOperatorErasuresService({ erasures, people, open }: Deps) {
  const ledger = () => open({ id: OPERATOR_LEDGER, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })

  async function find(id: string): Promise<SeenErasure | null> {
    const [indexed, erased] = await Promise.all([erasures.find(id), ledger().erasure.findErased(id)])
    return see(indexed, erased)
  }

  async function repeat(request: ErasureRequest, record: string | null): Promise<void> {
    await erasures.index(request, 'running')
    await open({ id: request.organisationId, jurisdiction: request.jurisdiction }).erasure.repeat(request, record)
  }

  /** Its object may have forgotten that it was asked for, or know more than D1: that it was cancelled or is done. */
  async function scheduleAgain(request: ErasureRequest, act: Act): Promise<NotDone | null> {
    const { organisationId: id, jurisdiction } = request
    const { erasure } = await open({ id, jurisdiction }).erasure.schedule({ request, isImmediate: false }, act)
    if (erasure === null) {
      await erasures.cancel(request.id)
      return 'cancelled'
    }
    if (erasure.state === 'completed') await repeat(erasure, erasure.record)
    else if (erasure.state === 'running') await erasures.index(erasure, 'running')
    else await erasures.indexScheduled(erasure)
    return null
  }

  async function reapplyToPerson(personId: PersonId, seen: SeenErasure): Promise<NotDone | null> {
    const { id, requestedBy, requestedAt, dueAt } = seen
    await erasures.repeatPerson({ id, personId, requestedAt, dueAt })
    const erasure = { id, organisationId: null, personId, jurisdiction: null, requestedBy, requestedAt, dueAt }
    return (await people.erase({ ...erasure, record: null, state: 'running' })) ? null : 'only_owner'
  }

  async function reapplyTo(seen: SeenErasure, act: Act): Promise<NotDone | null> {
    const { id, subject, jurisdiction, requestedAt, dueAt, state, record } = seen
    if (state === 'cancelled') return 'cancelled'
    if (!isOrganisation(subject)) return state === 'scheduled' ? null : reapplyToPerson(asPerson(subject), seen)
    // SECURITY: in the other jurisdiction is an object that never was, of which a record would be signed at once.
    if (jurisdiction === null) throw new TypeError('nobody knows where the organisation is')
    const requestedBy = asPerson(seen.requestedBy)
    const request = { id, organisationId: subject, jurisdiction, requestedBy, requestedAt, dueAt }
    if (state === 'scheduled') return scheduleAgain(request, act)
    await repeat(request, record)
    return null
  }

  return {
    /** Newest first, after `cursor` (an id). */
    async list(limit: number, cursor: string | undefined, requestId: string): Promise<SeenErasure[]> {
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
          (id) => see(indexed.find((one) => one.id === id) ?? null, erased.find((one) => one.id === id) ?? null) ?? [],
        )
    },

    async show(id: ErasureId, requestId: string): Promise<SeenErasure | null> {
      await ledger().log.recordAct(byOperator('erasure.show', requestId, id))
      return find(id)
    },

    /**
     * Null where there is none of this id. Harmless twice: what is done already is found to be done. One that is scheduled
     * stays so, and its object knows of it.
     */
    async reapply(id: ErasureId, requestId: string): Promise<Reapplied | null> {
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

/** What the operator's ledger has was completed, whatever a database that was taken back says; one that runs, runs. */
function see(indexed: IndexedErasure | null, erased: Erased | null): SeenErasure | null {
  if (indexed === null) return erased && { ...erased, state: 'completed' }
  const { id, requestedBy, requestedAt, dueAt, record } = indexed
  const state = erased !== null && indexed.state !== 'running' ? 'completed' : indexed.state
  return {
    id,
    requestedBy,
    requestedAt,
    dueAt,
    state,
    record: erased?.record ?? record,
    subject: indexed.organisationId ?? indexed.personId ?? '',
    jurisdiction: erased?.jurisdiction ?? indexed.jurisdiction,
  }
}

const isOrganisation = (subject: string): subject is OrganisationId => parseId('org_', subject) !== null

/** Throws for what is no id of a person: only such ids are written. */
function asPerson(id: string): PersonId {
  if (!isPerson(id)) throw new RangeError('not the id of a person')
  return id
}

const isPerson = (id: string): id is PersonId => parseId('usr_', id) !== null

const byOperator = (act: string, requestId: string, id?: ErasureId): Act => ({
  actor: 'operator',
  act,
  requestId,
  ...(id !== undefined && { content: { erasure_id: id } }),
})
