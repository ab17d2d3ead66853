// Removes the second factors of who has lost them all: one manager asks, another agrees, and a day later the person uses a mailed link
// with their password. Any sign-in with a factor, or any manager, cancels that. Everybody concerned is mailed at each step.
import { newId, type OrganisationId, type PersonId, type SessionId } from '../../platform/ids.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { sql } from '../../platform/sql.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Permission } from '../access/roles.policy.ts'
import { emailKeyOf } from '../people/people.store.ts'
import { factorResetLinkMail, factorResetMail } from '../sign-in/account-mails.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import { FactorResetsStore, newReset, type FactorReset, type ResetChange } from './factor-resets.store.ts'
import { createPersonActs } from './person-acts.ts'
import type { SecondFactorDeps } from './second-factor-deps.ts'
import type { ResetState } from './second-factor.schema.ts'

const DUE_AFTER_MS = DAY_MS
/** Longer than for managers: the operator has to find out who asks. */
const OPERATOR_DUE_AFTER_MS = 3 * DAY_MS

export type ResetRefused = {
  outcome: 'no_factor' | 'elsewhere' | 'no_second' | 'is_open' | 'none' | 'own' | 'by_asker' | 'overtaken'
}

/** `afterwards` records and mails; call it after the response. */
export type Moved = { outcome: 'moved'; reset: FactorReset; afterwards: () => Promise<unknown> }

/** The request of who moves a reset. */
type By = { by: PersonId | 'operator'; requestId: string; origin: string }

export type FactorResetsService = ReturnType<typeof createFactorResetsService>

export function createFactorResetsService(deps: SecondFactorDeps) {
  const { db, people, throttle, hasher, mailer, clock } = deps
  const [resets, acts] = [new FactorResetsStore(db), createPersonActs(deps)]

  async function mailConcerned(step: ResetState, { personId, askedBy, dueAt }: FactorReset, origin: string) {
    const concerned = await resets.listConcerned(personId)
    const told = { origin, step, isByOperator: askedBy === 'operator', dueAt }
    const mails = concerned.map(({ email: to, isOwn }) => factorResetMail({ ...told, to, isOwn: isOwn === 1 }))
    await Promise.all(mails.map((mail) => mailer.send(mail)))
  }

  /** Returns what goes with a step: statements with its acts, and what follows the response. */
  async function prepare(step: ResetState, reset: FactorReset, { by, requestId, origin }: By, more: EntryContent = {}) {
    const content = { member_id: reset.personId, reset_id: reset.id, ...more }
    const act = { actor: by, act: `person.factor_reset_${step}`, requestId, content } as const
    const prepared = await acts.prepare(reset.personId, act)
    return {
      statements: ({ held, statements }: ResetChange) => [...acts.write(prepared, held), ...statements],
      afterwards: () => Promise.all([acts.deliver(prepared), mailConcerned(step, reset, origin)]),
    }
  }

  async function move(
    step: ResetState,
    change: ResetChange,
    by: By,
    more?: EntryContent,
  ): Promise<Moved | ResetRefused> {
    const { reset } = change
    const { statements, afterwards } = await prepare(step, reset, by, more)
    const results = await db.batch(statements(change))
    return results.at(-1)?.meta.changes === 1 ? { outcome: 'moved', reset, afterwards } : { outcome: 'overtaken' }
  }

  async function mailLink(email: string, origin: string): Promise<void> {
    const person = mailer.sends ? await people.findByEmail(email) : null
    const token = person && (await resets.issueLink(person.id, clock()))
    if (person !== null && token !== null) await mailer.send(factorResetLinkMail({ to: person.email, origin, token }))
  }

  return {
    findOpen: (personId: PersonId): Promise<FactorReset | null> => resets.findOpen(personId, clock()),

    /** Throws `rate_limit_exceeded`. @param needed the permission that a manager of this person needs */
    async askByManager(
      personId: PersonId,
      organisationId: OrganisationId,
      needed: Permission,
      { network, ...by }: By & { by: PersonId; network: string },
    ): Promise<Moved | ResetRefused> {
      if (by.by === personId) return { outcome: 'own' }
      await throttle.countTry({ act: 'factor_reset', account: personId, network })
      const now = clock()
      const reset = newReset({ id: newId('rst_', now), personId, organisationId, askedBy: by.by }, null, now)
      const facts = await resets.readAskFacts(reset, needed, now)
      if (facts?.hasFactor !== 1) return { outcome: 'no_factor' }
      if (facts.isOpen === 1) return { outcome: 'is_open' }
      if (facts.isOnlyHere !== 1) return { outcome: 'elsewhere' }
      return facts.hasSecond === 1 ? move('asked', resets.ask(reset), by) : { outcome: 'no_second' }
    },

    /** Returns `none` if there is no such person. */
    async askByOperator(personId: PersonId, reason: string, request: Omit<By, 'by'>): Promise<Moved | ResetRefused> {
      const person = await people.find(personId)
      if (person === null) return { outcome: 'none' }
      if (person.secondFactorSince === null) return { outcome: 'no_factor' }
      const now = clock()
      const asked = { id: newId('rst_', now), personId, organisationId: null, askedBy: 'operator' } as const
      const asking = resets.ask(newReset(asked, now + OPERATOR_DUE_AFTER_MS, now))
      const moved = await move('asked', asking, { by: 'operator', ...request }, { reason })
      return moved.outcome === 'overtaken' ? { outcome: 'is_open' } : moved
    },

    async agree(personId: PersonId, by: By & { by: PersonId }): Promise<Moved | ResetRefused> {
      const now = clock()
      const reset = await resets.findOpen(personId, now)
      if (reset === null) return { outcome: 'none' }
      if (by.by === personId) return { outcome: 'own' }
      if (by.by === reset.askedBy) return { outcome: 'by_asker' }
      return move('agreed', resets.agree(reset, by.by, now + DUE_AFTER_MS, now), by)
    },

    /** Cancels the open reset of a person. */
    async cancel(personId: PersonId, by: By): Promise<Moved | ResetRefused> {
      const now = clock()
      const reset = await resets.findOpen(personId, now)
      if (reset === null) return { outcome: 'none' }
      return move('cancelled', resets.cancel(reset, now), by)
    },

    /** Returns what a sign-in with a factor does to an open reset, with the session that it begins; null if none is open. */
    async cancelBySignIn(personId: PersonId, request: Omit<By, 'by'>) {
      const now = clock()
      const reset = await resets.findOpen(personId, now)
      if (reset === null) return null
      const { statements, afterwards } = await prepare('cancelled', reset, { by: personId, ...request })
      return {
        statements: (begun: SessionId) =>
          statements(resets.cancel(reset, now, sql`EXISTS (SELECT 1 FROM sessions WHERE sessions.id = ${begun})`)),
        afterwards,
      }
    },

    /** SECURITY: the answer does not depend on the account: what looks it up runs after the response. Throws `rate_limit_exceeded`. */
    async requestLink(email: string, { network, origin }: Caller) {
      await throttle.countTry({ act: 'factor_reset', account: emailKeyOf(email), network })
      return { afterwards: () => mailLink(email, origin) }
    },

    /** The link stays usable if the password is wrong. Throws `rate_limit_exceeded`. */
    async finish(
      token: string,
      password: string,
      { network, origin }: Caller,
      requestId: string,
    ): Promise<Moved | { outcome: 'used' | 'wrong' }> {
      await throttle.countTry({ act: 'mailed_link', account: '', network })
      const now = clock()
      const reset = await resets.findByToken(token, now)
      const person = reset && (await people.find(reset.personId))
      if (reset === null || person === null) return { outcome: 'used' }
      const tried = await throttle.countTry({ act: 'password_change', account: person.id, network })
      if (hasher.verify(password, person.password) === 'wrong') return { outcome: 'wrong' }
      await throttle.uncountTry(tried)
      const finishing = resets.finish(reset, token, person, now)
      const moved = await move('done', finishing, { by: person.id, requestId, origin })
      return moved.outcome === 'moved' ? moved : { outcome: 'used' }
    },
  }
}
