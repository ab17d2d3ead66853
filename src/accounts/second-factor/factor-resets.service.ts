// Removes the second factors of who has lost them all: one manager asks, another agrees, and a day later the person uses a mailed link
// with their password. Any sign-in with a factor, or any manager, cancels that. Everybody concerned is mailed at each step.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { newId, type OrganisationId, type PersonId, type SessionId } from '../../platform/ids.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { sql } from '../../platform/sql.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Permission } from '../access/roles.policy.ts'
import { emailKeyOf } from '../people/people.store.ts'
import { factorResetLinkMail, factorResetMail } from '../sign-in/account-mails.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import { signInError } from '../sign-in/sign-in-errors.ts'
import { FactorResetsStore, newReset, type FactorReset, type ResetChange } from './factor-resets.store.ts'
import { createPersonActs } from './person-acts.ts'
import type { FactorRequest, SecondFactorDeps } from './second-factor-deps.ts'
import type { ResetState } from './second-factor.schema.ts'

const DUE_AFTER_MS = DAY_MS
/** Longer than for managers: the operator has to find out who asks. */
const OPERATOR_DUE_AFTER_MS = 3 * DAY_MS

/** The request of who moves a reset. */
type By<Who = PersonId | 'operator'> = { by: Who; c: AppContext; origin: string }

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

  /** Returns what goes with a step: statements with its acts, and what mails and records it after the response. */
  async function prepare(step: ResetState, reset: FactorReset, { by, c, origin }: By, more: EntryContent = {}) {
    const content = { member_id: reset.personId, reset_id: reset.id, ...more }
    const act = { actor: by, act: `person.factor_reset_${step}`, requestId: c.get('requestId'), content } as const
    const prepared = await acts.prepare(reset.personId, act)
    return {
      statements: ({ held, statements }: ResetChange) => [...acts.write(prepared, held), ...statements],
      tell: () => runAfterResponse(c, () => Promise.all([acts.deliver(prepared), mailConcerned(step, reset, origin)])),
    }
  }

  /** Returns null if the step had no effect. */
  async function move(step: ResetState, change: ResetChange, by: By, more?: EntryContent): Promise<FactorReset | null> {
    const { statements, tell } = await prepare(step, change.reset, by, more)
    const results = await db.batch(statements(change))
    if (results.at(-1)?.meta.changes !== 1) return null
    tell()
    return change.reset
  }

  async function requireOpen(personId: PersonId, now: number): Promise<FactorReset> {
    return (await resets.findOpen(personId, now)) ?? raise(noneOpen())
  }

  async function mailLink(email: string, origin: string): Promise<void> {
    const person = mailer.sends ? await people.findByEmail(email) : null
    const token = person && (await resets.issueLink(person.id, clock()))
    if (person !== null && token !== null) await mailer.send(factorResetLinkMail({ to: person.email, origin, token }))
  }

  return {
    findOpen: (personId: PersonId): Promise<FactorReset> => requireOpen(personId, clock()),

    /** Throws `rate_limit_exceeded`. @param needed the permission that a manager of this person needs */
    async askByManager(
      personId: PersonId,
      organisationId: OrganisationId,
      needed: Permission,
      { network, ...by }: By<PersonId> & { network: string },
    ): Promise<FactorReset> {
      if (by.by === personId) throw conflict('own')
      await throttle.countTry({ act: 'factor_reset', account: personId, network })
      const now = clock()
      const reset = newReset({ id: newId('rst_', now), personId, organisationId, askedBy: by.by }, null, now)
      const facts = await resets.readAskFacts(reset, needed, now)
      if (facts?.hasFactor !== 1) throw conflict('no_factor')
      if (facts.isOpen === 1) throw conflict('is_open')
      if (facts.isOnlyHere !== 1) throw conflict('elsewhere')
      if (facts.hasSecond !== 1) throw conflict('no_second')
      return (await move('asked', resets.ask(reset), by)) ?? raise(conflict('overtaken'))
    },

    async askByOperator(personId: PersonId | null, reason: string, request: Omit<By, 'by'>): Promise<FactorReset> {
      const person = personId && (await people.find(personId))
      if (personId === null || person === null) throw noSuchPerson()
      if (person.secondFactorSince === null) throw conflict('no_factor')
      const now = clock()
      const asked = { id: newId('rst_', now), personId, organisationId: null, askedBy: 'operator' } as const
      const asking = resets.ask(newReset(asked, now + OPERATOR_DUE_AFTER_MS, now))
      const moved = await move('asked', asking, { by: 'operator', ...request }, { reason })
      return moved ?? raise(conflict('is_open'))
    },

    async agree(personId: PersonId, by: By<PersonId>): Promise<FactorReset> {
      const now = clock()
      const reset = await requireOpen(personId, now)
      if (by.by === personId) throw conflict('own')
      if (by.by === reset.askedBy) throw conflict('by_asker')
      const agreeing = resets.agree(reset, by.by, now + DUE_AFTER_MS, now)
      return (await move('agreed', agreeing, by)) ?? raise(conflict('overtaken'))
    },

    /** Cancels the open reset of a person. */
    async cancel(personId: PersonId, by: By): Promise<FactorReset> {
      const now = clock()
      const cancelling = resets.cancel(await requireOpen(personId, now), now)
      return (await move('cancelled', cancelling, by)) ?? raise(conflict('overtaken'))
    },

    /** Cancels a reset of who proved a factor, if one is open. */
    async cancelIfOpen(personId: PersonId, request: Omit<By, 'by'>): Promise<void> {
      const now = clock()
      const reset = await resets.findOpen(personId, now)
      if (reset !== null) await move('cancelled', resets.cancel(reset, now), { by: personId, ...request })
    },

    /** Returns what a sign-in with a factor does to an open reset, with the session that it begins; null if none is open. */
    async cancelBySignIn(personId: PersonId, request: Omit<By, 'by'>) {
      const now = clock()
      const reset = await resets.findOpen(personId, now)
      if (reset === null) return null
      const { statements, tell } = await prepare('cancelled', reset, { by: personId, ...request })
      return {
        statements: (begun: SessionId) =>
          statements(resets.cancel(reset, now, sql`EXISTS (SELECT 1 FROM sessions WHERE sessions.id = ${begun})`)),
        tell,
      }
    },

    /** SECURITY: the answer does not depend on the account: what looks it up runs after the response. Throws `rate_limit_exceeded`. */
    async requestLink(c: AppContext, email: string, { network, origin }: Caller): Promise<void> {
      await throttle.countTry({ act: 'factor_reset', account: emailKeyOf(email), network })
      runAfterResponse(c, () => mailLink(email, origin))
    },

    /** The link stays usable if the password is wrong. Throws `rate_limit_exceeded`. */
    async finish(token: string, password: string, { c, caller }: FactorRequest): Promise<FactorReset> {
      const { network, origin } = caller
      await throttle.countTry({ act: 'mailed_link', account: '', network })
      const now = clock()
      const reset = await resets.findByToken(token, now)
      const person = reset && (await people.find(reset.personId))
      if (reset === null || person === null) throw signInError('used')
      const tried = await throttle.countTry({ act: 'password_change', account: person.id, network })
      if (hasher.verify(password, person.password) === 'wrong') throw wrongPassword()
      await throttle.uncountTry(tried)
      const finishing = resets.finish(reset, token, person, now)
      return (await move('done', finishing, { by: person.id, c, origin })) ?? raise(signInError('used'))
    },
  }
}

function raise(error: AppError): never {
  throw error
}

const BY_OPERATOR = 'Write to the operator of the service, who can help.'

const CONFLICTS = {
  no_factor: 'This person has no second factor. They sign in with the password alone.',
  is_open: 'A reset is open already. Agree to it, or cancel it first.',
  elsewhere: `This person is a member of another organisation too, so its managers would have to agree. ${BY_OPERATOR}`,
  no_second: `Nobody else here can agree: it takes a second owner or admin, and for an owner a second owner. ${BY_OPERATOR}`,
  own: 'You cannot reset your own second factors. Ask two other owners or admins.',
  by_asker: 'You asked for this reset, so another owner or admin must agree.',
  overtaken: 'This reset was agreed to, cancelled or used meanwhile, so nothing was done.',
}

const conflict = (cause: keyof typeof CONFLICTS): AppError => new AppError('conflict', CONFLICTS[cause])

const noneOpen = (): AppError => new AppError('not_found', 'No reset of this person’s second factors is open.')

const wrongPassword = (): AppError =>
  new AppError('invalid_credentials', 'The password is wrong. Type it again; the link stays valid.', {
    param: 'password',
  })

const noSuchPerson = (): AppError => new AppError('not_found', 'There is no person with this id. Check the id.')
