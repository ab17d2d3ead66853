// Erases a person's account: request, show and cancel, and the daily job that runs due erasures.
import type { PeopleStore } from '../../accounts/people/people.store.ts'
import type { SessionsStore } from '../../accounts/people/sessions.store.ts'
import type { Mailer } from '../../platform/mail.ts'
import { personErasureScheduledMail } from '../../organisation/erasure/erasure-mails.ts'
import type { PersonErasure } from '../../organisation/erasure/erasure.ts'
import type { ErasuresStore, AccountRowsStore } from '../../organisation/erasure/erasures.store.ts'
import { nullIfClosedForErasure } from '../../organisation/erasure/erasure-refusal.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import { newId, OPERATOR_LOG_NAME, type PersonId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time.ts'
import { describeThrown, log } from '../../platform/log.ts'
import type { ShownErasure } from './erasure.schema.ts'
import { GRACE_MS, type Asking } from './erasure.service.ts'

/** The number of people that one query returns. */
const AT_ONCE = 50

type Deps = {
  erasures: ErasuresStore
  registered: Pick<AccountRowsStore, 'erasePerson'>
  sessions: Pick<SessionsStore, 'listMemberships'>
  people: Pick<PeopleStore, 'find'>
  open: OpenOrganisation
  mailer: Mailer
  clock: Clock
}

export type AskingPerson = Pick<Asking, 'personId' | 'origin' | 'later'>

/** `only_owner`: the person is the only owner of an organisation that is not being erased. */
export type PersonErasureRequested = { outcome: 'scheduled'; erasure: ShownErasure } | { outcome: 'only_owner' }

export type PersonErasureCancelled =
  | { outcome: 'cancelled'; erasure: ShownErasure }
  | { outcome: 'too_late' }
  | { outcome: 'none' }

/** Counts of due erasures by result. `not_erased`: because the person is the only owner of an organisation. */
export type DueErasureCounts = { erased: number; not_erased: number; failed: number }

export type PersonErasureService = ReturnType<typeof createPersonErasureService>

export function createPersonErasureService({ erasures, registered, sessions, people, open, mailer, clock }: Deps) {
  /** Returns true if the person was erased. Can be repeated after any interruption. */
  async function erase(erasure: PersonErasure): Promise<boolean> {
    const { state: _, ...erased } = erasure
    const { id, subject: personId } = erased
    if (!(await erasures.beginPerson(id))) return false
    for (const { organisationId, jurisdiction, role } of await sessions.listMemberships(personId)) {
      const act = { actor: personId, act: 'member.erase', requestId: id, content: { member_id: personId, act_id: id } }
      // An organisation that is being erased accepts no more log entries, and this erasure does not wait for it.
      const facts = { change: 'removed', role, previous_role: null } as const
      const change = {
        personId,
        mayDecide: false,
        keysReach: null,
        changedAt: clock(),
        facts,
        messageId: `msg_${id}-${organisationId}`,
      } as const
      await nullIfClosedForErasure(open({ id: organisationId, jurisdiction }).keys.changeMember(change, act))
    }
    await registered.erasePerson(id)
    await open({ id: OPERATOR_LOG_NAME, jurisdiction: 'eu' }).erasure.recordErased(erased)
    await erasures.completePerson(id)
    return true
  }

  async function tryToErase(erasure: PersonErasure): Promise<keyof DueErasureCounts> {
    try {
      return (await erase(erasure)) ? 'erased' : 'not_erased'
    } catch (thrown) {
      log({ level: 'error', event: 'unexpected_error', outcome: 'person_not_erased', ...describeThrown(thrown) })
      return 'failed'
    }
  }

  return {
    /** Schedules the erasure, ends all sessions and mails the person. A repeated request returns the first erasure. */
    async request({ personId, origin, later }: AskingPerson): Promise<PersonErasureRequested> {
      const now = clock()
      const person = await people.find(personId)
      const request = { id: newId('era_', now), subject: personId, requestedAt: now, dueAt: now + GRACE_MS }
      await erasures.schedulePerson(request)
      const erasure = await erasures.findOfPerson(personId)
      if (erasure === null) return { outcome: 'only_owner' }
      if (person !== null && erasure.id === request.id) {
        later(mailer.send({ to: person.email, ...personErasureScheduledMail({ dueAt: erasure.dueAt, origin }) }))
      }
      return { outcome: 'scheduled', erasure }
    },

    /** Returns null if no erasure is scheduled. */
    show: async (personId: PersonId): Promise<PersonErasure | null> => erasures.findOfPerson(personId),

    async cancel(personId: PersonId): Promise<PersonErasureCancelled> {
      const erasure = await erasures.findOfPerson(personId)
      if (erasure === null) return { outcome: 'none' }
      await erasures.cancel(erasure.id)
      const after = await erasures.find(erasure.id)
      return after?.state === 'cancelled' ? { outcome: 'cancelled', erasure: after } : { outcome: 'too_late' }
    },

    erase,

    /** Runs daily. The only owner of an organisation, or a person whose erasure fails, is tried again at the next run. */
    async eraseDuePeople(now: number): Promise<DueErasureCounts> {
      const counts = { erased: 0, not_erased: 0, failed: 0 }
      let after = ''
      for (;;) {
        const due = await erasures.listDuePeople(now, after, AT_ONCE)
        for (const erasure of due) counts[await tryToErase(erasure)] += 1
        const last = due.at(-1)
        if (last === undefined || due.length < AT_ONCE) return counts
        after = last.id
      }
    },
  }
}
