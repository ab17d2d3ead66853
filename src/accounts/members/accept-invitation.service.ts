// Accepts an invitation for the bearer of its link: the signed-in person with the invited address, or a new person.
import type { Clock } from '../../platform/time.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { accessEndOf } from '../access/roles.policy.ts'
import { hashToken } from '../access/secret-token.ts'
import { emailKeyOf, type PeopleStore, type Person } from '../people/people.store.ts'
import type { ActDelivery } from './act-delivery.ts'
import { isInvitationToken, provesAddress } from './invitation-link.ts'
import type { Invitation, InvitationsStore, Inviting } from './invitations.store.ts'
import { endsAtInLog } from './members.service.ts'
import type { Joiner } from './members.store.ts'
import { newPendingAct, type PendingAct } from './pending-acts.store.ts'

export type Joined = { outcome: 'joined'; member: Joiner; to: Inviting }

/**
 * `used_up`: there is no such open invitation. `other_address`: the invitation is to another address than the person's.
 * `has_account`: the address has an account, whose person must sign in. `closing`: the organisation is to be erased.
 */
export type JoinRefused = { outcome: 'used_up' | 'other_address' | 'is_member' | 'has_account' | 'closing' }

export type AddresseeLookup =
  | { outcome: 'addressed'; email: string }
  | { outcome: 'used_up' | 'has_account' | 'closing' }

/** The name and password that a new person chose. `password`: a PHC string. */
export type Newcomer = { name: string; password: string }

export type AcceptInvitationService = ReturnType<typeof createAcceptInvitationService>

type Deps = { invitations: InvitationsStore; people: PeopleStore; delivery: ActDelivery; clock: Clock }

export function createAcceptInvitationService({ invitations, people, delivery, clock }: Deps) {
  /** Returns the act of joining, and when the new member's access ends. */
  function beginJoin(person: PersonId, { invitation, to }: OpenInvitation, requestId: string): Join {
    const now = clock()
    const { role } = invitation
    const endsAt = accessEndOf(role, invitation.endsAt, now)
    const content = { member_id: person, role, ...endsAtInLog(endsAt), invitation_id: invitation.id }
    const organisation = { id: to.id, jurisdiction: to.jurisdiction }
    const act = { actor: person, act: 'member.join', requestId, content }
    return { pending: newPendingAct(organisation, act, now), endsAt }
  }

  async function endJoin(
    person: Person,
    { invitation, to }: OpenInvitation,
    { pending, endsAt }: Join,
  ): Promise<Joined> {
    await delivery.deliver(pending)
    return { outcome: 'joined', member: memberOf(person, invitation, { joinedAt: pending.createdAt, endsAt }), to }
  }

  const findByToken = async (token: string): Promise<OpenInvitation | null> =>
    isInvitationToken(token) ? invitations.findByToken(hashToken(token), clock()) : null

  return {
    /** Returns the invited address if a new person may accept the invitation. */
    async findAddressee(token: string): Promise<AddresseeLookup> {
      const found = await findByToken(token)
      if (found === null) return { outcome: 'used_up' }
      if (found.isClosing) return { outcome: 'closing' }
      const { email } = found.invitation
      return (await people.findByEmail(email)) === null ? { outcome: 'addressed', email } : { outcome: 'has_account' }
    },

    /** Makes the signed-in person a member. */
    async joinAs(personId: PersonId, token: string, requestId: string): Promise<Joined | JoinRefused> {
      const tokenHash = hashToken(token)
      const found = await findByToken(token)
      if (found === null) return { outcome: 'used_up' }
      const person = await people.find(personId)
      const isAddressee = person !== null && emailKeyOf(person.email) === emailKeyOf(found.invitation.email)
      if (!isAddressee) return { outcome: 'other_address' }
      if (found.isClosing) return { outcome: 'closing' }
      if (await invitations.isMember(found.to.id, person.email)) return { outcome: 'is_member' }

      const { pending, endsAt } = beginJoin(personId, found, requestId)
      const isProven = provesAddress(token)
      if (!(await invitations.acceptAs(pending, { tokenHash, person: personId, isProven, endsAt }))) {
        return { outcome: (await findByToken(token))?.isClosing === true ? 'closing' : 'used_up' }
      }
      return endJoin(person, found, { pending, endsAt })
    },

    async joinAsNew({ name, password }: Newcomer, token: string, requestId: string): Promise<Joined | JoinRefused> {
      const tokenHash = hashToken(token)
      const now = clock()
      const found = await findByToken(token)
      if (found === null) return { outcome: 'used_up' }
      const { email } = found.invitation
      const emailProvenAt = provesAddress(token) ? now : null
      const id: PersonId = newId('usr_', now)
      const person: Person = {
        id,
        email,
        emailProvenAt,
        name,
        password,
        passwordChangedAt: now,
        secondFactorSince: null,
        createdAt: now,
      }
      const { pending, endsAt } = beginJoin(id, found, requestId)
      if (!(await invitations.acceptAsNew(pending, { tokenHash, endsAt }, person))) {
        const stillOpen = await findByToken(token)
        if (stillOpen === null) return { outcome: 'used_up' }
        return { outcome: stillOpen.isClosing ? 'closing' : 'has_account' }
      }
      return endJoin(person, found, { pending, endsAt })
    },
  }
}

type Join = { pending: PendingAct; endsAt: number | null }

type OpenInvitation = NonNullable<Awaited<ReturnType<InvitationsStore['findByToken']>>>

const memberOf = (
  { id, name, email }: Person,
  invitation: Invitation,
  times: Pick<Joiner, 'joinedAt' | 'endsAt'>,
): Joiner => ({
  organisationId: invitation.organisationId,
  personId: id,
  name,
  email,
  role: invitation.role,
  ...times,
  invitedBy: invitation.invitedBy,
})
