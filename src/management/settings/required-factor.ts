// Decides who may change the second factor that an organisation requires, and mails those whom a change concerns.
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { may } from '../../accounts/access/roles.policy.ts'
import { isEnough, isRequirementMet } from '../../accounts/access/session-proof.policy.ts'
import type { Member, MembersStore } from '../../accounts/members/members.store.ts'
import type { OrganisationChange, OrganisationsService } from '../../accounts/organisations.service.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import { settingsError } from '../../accounts/settings-errors.ts'
import { factorRequiredMail, requirementWeakenedMail } from '../../accounts/sign-in/account-mails.ts'
import { AppError } from '../../platform/errors.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Clock } from '../../platform/time.ts'
import {
  changedRequirement,
  isSameRequirement,
  isWeaker,
  type Requirement,
} from '../../policies/second-factor.policy.ts'

export type RequiredFactorDeps = {
  service: Pick<OrganisationsService, 'show'>
  access: Pick<AccessControl, 'assertMay' | 'assertProved'>
  members: Pick<MembersStore, 'list'>
  mailer: Mailer
  clock: Clock
}

export type RequiredFactor = ReturnType<typeof createRequiredFactor>

export function createRequiredFactor({ service, access, members, mailer, clock }: RequiredFactorDeps) {
  async function mail({ id }: Access['organisation'], isWeakened: boolean, required: Requirement, origin: string) {
    const link = `${origin}/app/settings?org=${id}&part=second-factor`
    const isConcerned = ({ role, secondFactor }: Member): boolean =>
      isWeakened ? may(role, 'members:manage') : !isEnough(secondFactor, required)
    const mailOf = (to: string) =>
      isWeakened
        ? requirementWeakenedMail({ to, link })
        : factorRequiredMail({ to, origin, from: required.secondFactorFrom })
    const concerned = (await members.list(id, { limit: -1 })).filter(isConcerned)
    await Promise.all(concerned.map(({ email }) => mailer.send(mailOf(email))))
  }

  /**
   * Throws unless the caller may change what is required. SECURITY: a stolen key or session must not end it, and nobody may lock
   * everybody out. Returns the change, bound to the version that was looked at, and what to do after it.
   */
  return async ({ organisation, manager }: Access, found: OrganisationRecord, change: OrganisationChange) => {
    const { secondFactor, secondFactorFrom } = change.settings
    const nothing = { change, afterwards: null }
    if (secondFactor === undefined && secondFactorFrom === undefined) return nothing
    const before = await service.show(found, null)
    const after = changedRequirement(before, change.settings, clock())
    if (after === null) throw settingsError({ outcome: 'second_factor_from' })
    // The object gets what was checked here, and of this version: its own clock and a change meanwhile decide nothing else.
    const checked = { settings: { ...change.settings, ...after }, ifVersion: change.ifVersion ?? before.version }
    if (isSameRequirement(before, after)) return { change: { ...change, ...checked }, afterwards: null }
    const isWeakened = isWeaker(before, after)
    access.assertMay(manager, isWeakened ? 'owners:name' : 'members:manage')
    await access.assertProved(manager, 'fresh')
    if (manager.kind === 'person' && !isRequirementMet(after, manager.session, clock())) throw notMetByCaller()
    return {
      change: { ...change, ...checked },
      afterwards: (origin: string) => mail(organisation, isWeakened, after, origin),
    }
  }
}

const notMetByCaller = (): AppError =>
  new AppError(
    'conflict',
    'Your own session does not meet this requirement. Set up such a second factor at /app/account#second-factor and confirm by it, then send your change again.',
    { param: 'second_factor' },
  )
