// The operator looks at erasures and, after a database was taken back, does those again that were completed; what was asked for stays asked for. What was
// completed is known from D1 and from the operator's own ledger: either may be the one that was taken back.
import type { OrganisationsStore } from '../../accounts/organisations.store.ts'
import { JURISDICTIONS, type Jurisdiction } from '../../keys/key-format.ts'
import type { Act } from '../../organisation/acts.ts'
import type { Erased } from '../../organisation/erasure/erased.store.ts'
import type { ErasuresStore, IndexedErasure } from '../../organisation/erasure/erasures.store.ts'
import { OPERATOR_LEDGER, type OpenOrganisation } from '../../organisation/organisation-stub.ts'
import { parseId, type ErasureId, type OrganisationId, type PersonId } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/regions.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

/** As the operator sees it. `subject`: org_… or usr_…. */
export type SeenErasure = Pick<IndexedErasure, 'id' | 'requestedBy' | 'requestedAt' | 'dueAt' | 'state' | 'record'> & {
  subject: string
  /** Null where the operator's ledger does not say, and for a person. */
  jurisdiction: Jurisdiction | null
}

export type Reapplied = { outcome: 'reapplied'; erasure: SeenErasure } | { outcome: 'cancelled' }

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  erasures: ErasuresStore
  people: Pick<PersonErasureService, 'erase'>
  open: OpenOrganisation
}

export type OperatorErasuresService = ReturnType<typeof createOperatorErasuresService>

export function createOperatorErasuresService({ organisations, erasures, people, open }: Deps) {
  const ledger = () => open({ id: OPERATOR_LEDGER, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })

  async function find(id: string): Promise<SeenErasure | null> {
    const [indexed, erased] = await Promise.all([erasures.find(id), ledger().findErased(id)])
    return see(indexed, erased)
  }

  async function reapplyToOrganisation(organisationId: OrganisationId, seen: SeenErasure): Promise<void> {
    const { id, requestedAt, dueAt, record } = seen
    // Where nobody knows which, the object of the other jurisdiction is one that never was, and stays empty.
    const places = seen.jurisdiction === null ? JURISDICTIONS : [seen.jurisdiction]
    const requestedBy = asPerson(seen.requestedBy)
    for (const jurisdiction of places) {
      const request = { id, organisationId, jurisdiction, requestedBy, requestedAt, dueAt }
      await erasures.index(request, 'running')
      await open({ id: organisationId, jurisdiction }).repeatErasure(request, record)
    }
  }

  /** Its object may have forgotten that it was asked for. */
  async function scheduleAgain(organisationId: OrganisationId, seen: SeenErasure, act: Act): Promise<void> {
    const found = await organisations.findOrganisation(organisationId)
    if (found === null) return
    const { id, requestedAt, dueAt } = seen
    const { jurisdiction } = found
    const request = { id, organisationId, jurisdiction, requestedBy: asPerson(seen.requestedBy), requestedAt, dueAt }
    await open({ id: organisationId, jurisdiction }).scheduleErasure({ request, isImmediate: false }, act)
  }

  async function reapplyToPerson(personId: PersonId, { id, requestedBy, requestedAt, dueAt }: SeenErasure) {
    await erasures.repeatPerson({ id, personId, requestedAt, dueAt })
    const erasure = { id, organisationId: null, personId, requestedBy, requestedAt, dueAt, record: null }
    await people.erase({ ...erasure, state: 'running' })
  }

  return {
    /** Newest first, after `cursor` (an id). */
    async list(limit: number, cursor: string | undefined, requestId: string): Promise<SeenErasure[]> {
      await ledger().recordAct(byOperator('erasure.list', requestId))
      const [indexed, erased] = await Promise.all([erasures.list(limit, cursor), ledger().listErased(limit, cursor)])
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
      await ledger().recordAct(byOperator('erasure.show', requestId, id))
      return find(id)
    },

    /**
     * Null where there is none of this id. Harmless twice: what is done already is found to be done. One that is scheduled
     * stays so, and its object knows of it.
     */
    async reapply(id: ErasureId, requestId: string): Promise<Reapplied | null> {
      const act = byOperator('erasure.reapply', requestId, id)
      await ledger().recordAct(act)
      const seen = await find(id)
      if (seen === null) return null
      const { subject, state } = seen
      if (state === 'cancelled') return { outcome: 'cancelled' }
      const isScheduled = state === 'scheduled'
      if (isOrganisation(subject)) {
        await (isScheduled ? scheduleAgain(subject, seen, act) : reapplyToOrganisation(subject, seen))
      } else if (!isScheduled) await reapplyToPerson(asPerson(subject), seen)
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
    jurisdiction: erased?.jurisdiction ?? null,
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
