// Decides who may change the second factor that an organisation requires.
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { isRequirementMet } from '../../accounts/access/session-proof.policy.ts'
import type { OrganisationChange, OrganisationsService } from '../../accounts/organisations.service.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import { settingsError } from '../../accounts/settings-errors.ts'
import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time.ts'
import { changedRequirement, isSameRequirement, isWeaker } from '../../policies/second-factor.policy.ts'
import type { RequirementMails } from './requirement-mails.ts'

export type RequiredFactorDeps = {
  service: Pick<OrganisationsService, 'show'>
  access: Pick<AccessControl, 'assertMay' | 'assertProved'>
  mails: Pick<RequirementMails, 'tellRequired' | 'tellWeakened'>
  clock: Clock
}

export type RequiredFactor = ReturnType<typeof createRequiredFactor>

export function createRequiredFactor({ service, access, mails, clock }: RequiredFactorDeps) {
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
      afterwards: (origin: string) =>
        isWeakened
          ? mails.tellWeakened(organisation.id, origin, clock())
          : mails.tellRequired(organisation.id, after, origin, clock()),
    }
  }
}

const notMetByCaller = (): AppError =>
  new AppError(
    'conflict',
    'Your own session does not meet this requirement. Set up such a second factor at /app/account#second-factor and confirm by it, then send your change again.',
    { param: 'second_factor' },
  )
