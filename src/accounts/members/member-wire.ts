// Presents members, memberships and invitations in the API's form.
import type { Infer } from '../../platform/once.ts'
import { presentKey } from '../../keys/key.schema.ts'
import type { Invitation } from './invitations.store.ts'
import type { CreatedInvitation } from './invitations.service.ts'
import type { Joined } from './accept-invitation.service.ts'
import type {
  ChangedMemberSchema,
  CreatedInvitationSchema,
  InvitationSchema,
  MemberSchema,
  MembershipSchema,
} from './members.schema.ts'
import type { MemberWithKeys } from './members.service.ts'
import type { Joiner, Member } from './members.store.ts'
import { isAccessOver } from '../access/roles.policy.ts'

const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const presentJoiner = (member: Joiner, now: number): Omit<Infer<typeof MemberSchema>, 'second_factor'> => ({
  id: member.personId,
  object: 'member',
  created_at: new Date(member.joinedAt).toISOString(),
  name: member.name,
  email: member.email,
  role: member.role,
  invited_by: member.invitedBy,
  ends_at: timeOrNull(member.endsAt),
  status: isAccessOver(member.endsAt, now) ? 'ended' : 'active',
})

export const presentMember = (member: Member, now: number): Infer<typeof MemberSchema> => ({
  ...presentJoiner(member, now),
  second_factor: member.secondFactor,
})

export const presentChangedMember = (
  { member, keys }: MemberWithKeys,
  now: number,
): Infer<typeof ChangedMemberSchema> => ({
  ...presentMember(member, now),
  keys: keys.map((key) => presentKey(key, now)),
  keys_revoked: keys.every(({ revokedAt }) => revokedAt !== null),
})

export const presentInvitation = (invitation: Invitation): Infer<typeof InvitationSchema> => ({
  id: invitation.id,
  object: 'invitation',
  created_at: new Date(invitation.createdAt).toISOString(),
  email: invitation.email,
  role: invitation.role,
  invited_by: invitation.invitedBy,
  expires_at: new Date(invitation.expiresAt).toISOString(),
  ends_at: timeOrNull(invitation.endsAt),
})

export const presentCreatedInvitation = ({
  invitation,
  isMailed,
  url,
}: CreatedInvitation): Infer<typeof CreatedInvitationSchema> => ({
  ...presentInvitation(invitation),
  mailed: isMailed,
  url,
})

export const presentMembership = ({ member, to }: Joined, now: number): Infer<typeof MembershipSchema> => ({
  ...presentJoiner(member, now),
  organisation: { id: to.id, name: to.name },
})
