// Creates, lists and revokes invitations, for owners, admins and the operator. Also limits how many invitations are created a day;
// the operator has no limit.
import type { Mailer } from '../../platform/mail.ts'
import { type Clock, DAY_MS } from '../../platform/time.ts'
import { type InvitationId, newId, type OrganisationId, type PersonId } from '../../platform/ids.ts'
import { type AccessEndFault, faultOfAccessEnd, type Role } from '../access/roles.policy.ts'
import { hashToken } from '../access/secret-token.ts'
import type { ActDelivery } from './act-delivery.ts'
import { invitationEnd, invitationMail, invitationUrl, newInvitationToken } from './invitation-link.ts'
import { MOST_OPEN_INVITATIONS } from '../../policies/organisation-limits.policy.ts'
import type { Invitation, InvitationsStore } from './invitations.store.ts'
import { endsAtInLog, type MemberChangeContext } from './members.service.ts'
import type { MemberRole } from './members.store.ts'
import { newPendingAct, type PendingAct } from './pending-acts.store.ts'
import { createHmac } from 'node:crypto'
import type { Pepper } from '../../platform/config.ts'
import { emailKeyOf } from '../people/people.store.ts'

/** `endsAt`: when an auditor's access ends, in milliseconds. */
export type NewInvitation = { email: string; role: Role; endsAt?: number | undefined }

/** `url` is the link for the inviter to hand over. It is null if the service sends mail. */
export type CreatedInvitation = { invitation: Invitation; isMailed: boolean; url: string | null }

export type InvitationResult =
  | ({ outcome: 'invited' } & CreatedInvitation)
  | { outcome: 'too_often'; retryAfterSeconds: number }
  | { outcome: 'wrong_end'; fault: AccessEndFault }
  | { outcome: 'is_member' | 'too_many' | 'of_owner' | 'overtaken' }

type InvitationRequest = {
  organisation: PendingAct['organisation']
  /** Null for the operator. */
  by: MemberRole | null
  requestId: string
  /** The origin of this service, `https://host`. */
  origin: string
}

export type InvitationsService = ReturnType<typeof createInvitationsService>

type Deps = {
  invitations: InvitationsStore
  limits: InvitationLimits
  mailer: Mailer
  delivery: ActDelivery
  clock: Clock
}

export function createInvitationsService({ invitations, limits, mailer, delivery, clock }: Deps) {
  /** Returns why the invitation is refused, or null. The most important reason comes first. */
  async function refusalOf(
    { organisation, by }: InvitationRequest,
    { email }: NewInvitation,
    found: Invitation | null,
  ): Promise<Exclude<InvitationResult, { outcome: 'invited' }> | null> {
    if (await invitations.isMember(organisation.id, email)) return { outcome: 'is_member' }
    if (found?.role === 'owner' && by !== null && by.role !== 'owner') return { outcome: 'of_owner' }
    const isOneMore = found === null && (await invitations.countOpen(organisation.id, clock())) >= MOST_OPEN_INVITATIONS
    if (isOneMore) return { outcome: 'too_many' }
    const wait = by === null ? null : await limits.count({ organisation: organisation.id, person: by.id }, email)
    return wait === null ? null : { outcome: 'too_often', retryAfterSeconds: wait }
  }

  return {
    list: (organisation: OrganisationId, limit: number, cursor: string | undefined): Promise<Invitation[]> =>
      invitations.list(organisation, { limit, cursor }, clock()),

    find: (organisation: OrganisationId, id: string): Promise<Invitation | null> =>
      invitations.find(organisation, id, clock()),

    /** Creates an invitation, which replaces one to the same address. The mail is sent after the log has the act. */
    async invite(inviting: InvitationRequest, wanted: NewInvitation): Promise<InvitationResult> {
      const { organisation, by, requestId, origin } = inviting
      const { email, role } = wanted
      const now = clock()
      const fault = faultOfAccessEnd(role, wanted.endsAt, now)
      if (fault !== null) return { outcome: 'wrong_end', fault }
      const found = await invitations.findByEmail(organisation.id, email, now)
      const refusal = await refusalOf(inviting, wanted, found)
      if (refusal !== null) return refusal

      const actor = by?.id ?? 'operator'
      const id: InvitationId = newId('inv_', now)
      const token = newInvitationToken(mailer.sends)
      const endsAt = wanted.endsAt ?? null
      // The link ends with the access that it gives.
      const stamp = { createdAt: now, expiresAt: Math.min(invitationEnd(now), endsAt ?? Infinity), endsAt }
      const invitation: Invitation = { id, organisationId: organisation.id, email, role, invitedBy: actor, ...stamp }
      const content = {
        invitation_id: id,
        role,
        ...endsAtInLog(endsAt),
        ...(found !== null && { replaced_id: found.id }),
      }
      const pending = newPendingAct(organisation, { actor, act: 'invitation.create', requestId, content }, now)
      const put = { invitation, tokenHash: hashToken(token), by, replaced: found?.id ?? null }
      if (!(await invitations.put(pending, put))) return { outcome: 'overtaken' }
      await delivery.deliver(pending)

      const url = invitationUrl(origin, token)
      if (!mailer.sends) return { outcome: 'invited', invitation, isMailed: false, url }
      const organisationName = await invitations.nameOf(organisation.id)
      const sent = await mailer.send(invitationMail({ email, role, organisationName, url, endsAt }))
      return { outcome: 'invited', invitation, isMailed: sent === 'sent', url: null }
    },

    /** Returns false if the invitation no longer exists, or the caller's membership changed meanwhile. */
    async revoke({ organisation, by, requestId }: MemberChangeContext, invitation: Invitation): Promise<boolean> {
      const content = { invitation_id: invitation.id, role: invitation.role }
      const act = { actor: by.id, act: 'invitation.revoke', requestId, content }
      const pending = newPendingAct(organisation, act, clock())
      const isRevoked = await invitations.revoke(pending, invitation.id, by)
      if (isRevoked) await delivery.deliver(pending)
      return isRevoked
    },
  }
}

/** Counts a try in a window that begins with the first try. A try beyond the limit is not counted. */
export type CountTry = (
  subject: string,
  window: { most: number; windowMs: number },
  now: number,
) => Promise<{ isCounted: true } | { isCounted: false; endsAt: number }>

export type InvitationLimits = {
  /** Returns null if the invitation may be sent, else the seconds to wait. */
  count(from: { organisation: OrganisationId; person: PersonId }, email: string): Promise<number | null>
}

const MOST_A_DAY = { organisation: 100, person: 50, address: 10 } as const

/** Limits the invitations a day, so that nobody can flood a mailbox with them. */
export function createInvitationLimits(deps: { countTry: CountTry; pepper: Pepper; clock: Clock }): InvitationLimits {
  const { countTry, pepper, clock } = deps
  const subject = (...parts: readonly string[]): string =>
    createHmac('sha256', pepper.bytes)
      .update(JSON.stringify(['invitations-1', ...parts]))
      .digest('base64url')

  return {
    async count({ organisation, person }, email) {
      const counters = [
        ['organisation', organisation],
        ['person', person],
        ['address', emailKeyOf(email)],
      ] as const
      for (const [per, value] of counters) {
        const now = clock()
        const outcome = await countTry(subject(per, value), { most: MOST_A_DAY[per], windowMs: DAY_MS }, now)
        if (!outcome.isCounted) return Math.max(1, Math.ceil((outcome.endsAt - now) / 1000))
      }
      return null
    },
  }
}
