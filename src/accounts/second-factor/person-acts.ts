// Records what changes about a person's second factors in the log of each of their organisations. The acts are written with the
// change, and delivered after the response; the daily upkeep delivers what is left.
import type { EntryContent } from '../../evidence/entry.ts'
import type { Actor } from '../../organisation/append-act.ts'
import type { PersonId } from '../../platform/ids.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import type { Clock } from '../../platform/time.ts'
import { isAccessOver } from '../access/roles.policy.ts'
import type { ActDelivery } from '../members/act-delivery.ts'
import { insertPendingAct, newPendingAct, type PendingAct } from '../members/pending-acts.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'

/** `actor`: the person themselves if absent. */
export type PersonAct = { act: `person.${string}`; requestId: string; content?: EntryContent; actor?: Actor }

type Deps = { db: D1Database; sessions: SessionsStore; delivery: ActDelivery; clock: Clock }

export type PersonActs = ReturnType<typeof createPersonActs>

export function createPersonActs({ db, sessions, delivery, clock }: Deps) {
  const write = (acts: readonly PendingAct[], held: Sql): D1PreparedStatement[] =>
    acts.map((pending) => {
      const { id } = pending.organisation
      return insertPendingAct(db, pending, sql`FROM organisations WHERE organisations.id = ${id} AND ${held}`)
    })

  async function deliver(acts: readonly PendingAct[]): Promise<void> {
    await Promise.allSettled(acts.map((pending) => delivery.deliver(pending)))
  }

  async function prepare(personId: PersonId, act: PersonAct): Promise<PendingAct[]> {
    const now = clock()
    const memberships = await sessions.listMemberships(personId)
    return memberships
      .filter(({ endsAt, erasure }) => !isAccessOver(endsAt, now) && erasure !== 'running')
      .map(({ organisationId: id, jurisdiction }) =>
        newPendingAct({ id, jurisdiction }, { actor: personId, ...act }, now),
      )
  }

  return {
    prepare,
    /** Returns the statements that write the acts if the condition holds. */
    write,
    deliver,

    /** Records an act that changed nothing else. */
    async record(personId: PersonId, act: PersonAct): Promise<void> {
      const acts = await prepare(personId, act)
      if (acts.length > 0) await db.batch(write(acts, sql`TRUE`))
      await deliver(acts)
    },
  }
}
