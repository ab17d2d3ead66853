// Mails members about the second factor that their organisation requires: when that is set or weakened, and before it begins.
import { isAccessOver, may } from '../../accounts/access/roles.policy.ts'
import { isEnough } from '../../accounts/access/session-proof.policy.ts'
import type { Member, MembersStore } from '../../accounts/members/members.store.ts'
import type { OrganisationsStore } from '../../accounts/organisations.store.ts'
import { factorRequiredMail, requirementWeakenedMail } from '../../accounts/sign-in/account-mails.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import type { Mail, Mailer } from '../../platform/mail.ts'
import { reminderDue, type Requirement } from '../../policies/second-factor.policy.ts'

type Deps = {
  organisations: Pick<OrganisationsStore, 'listRequiring' | 'noteReminder'>
  members: Pick<MembersStore, 'list'>
  mailer: Mailer
}

export type RequirementMails = ReturnType<typeof createRequirementMails>

export function createRequirementMails({ organisations, members, mailer }: Deps) {
  async function mailEach(id: OrganisationId, now: number, mailOf: (member: Member) => Mail | null): Promise<void> {
    const current = (await members.list(id, { limit: -1 })).filter(({ endsAt }) => !isAccessOver(endsAt, now))
    const mails = current.map(mailOf).filter((mail) => mail !== null)
    await Promise.all(mails.map((mail) => mailer.send(mail)))
  }

  const tell = (id: OrganisationId, required: Requirement, origin: string, now: number) =>
    mailEach(id, now, ({ secondFactor, email: to }) =>
      isEnough(secondFactor, required) ? null : factorRequiredMail({ to, origin, from: required.secondFactorFrom }),
    )

  return {
    /** Tells those who have no such factor. */
    async tellRequired(id: OrganisationId, required: Requirement, origin: string, now: number): Promise<void> {
      await organisations.noteReminder(id, now, now)
      await tell(id, required, origin, now)
    },

    /** Tells owners and admins. */
    tellWeakened: (id: OrganisationId, origin: string, now: number): Promise<void> =>
      mailEach(id, now, ({ role, email: to }) =>
        may(role, 'members:manage')
          ? requirementWeakenedMail({ to, link: `${origin}/app/settings?org=${id}&part=second-factor` })
          : null,
      ),

    /** Tells those who still have none, shortly before the requirement begins. */
    async remindDue(origin: string, now: number): Promise<void> {
      for (const { id, ...required } of await organisations.listRequiring(now)) {
        const due = reminderDue(required, now)
        if (due !== null && (await organisations.noteReminder(id, due, now))) await tell(id, required, origin, now)
      }
    },
  }
}
