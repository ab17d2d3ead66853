// Reads and changes an organisation's settings for its people and keys.
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type {
  OrganisationChange,
  OrganisationChanged,
  OrganisationsService,
  TierAsked,
} from '../../accounts/organisations.service.ts'
import type { Tier } from '../../policies/tier.policy.ts'
import type { OrganisationRecord, OrganisationsStore } from '../../accounts/organisations.store.ts'

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  organisationsService: Pick<OrganisationsService, 'show' | 'change' | 'askForTier'>
}

export type SettingsService = ReturnType<typeof createSettingsService>

export function createSettingsService({ organisations, organisationsService }: Deps) {
  /** Returns null if the organisation was erased after the caller's access was checked. */
  async function withOrganisation<T>(
    { organisation }: Access,
    work: (found: OrganisationRecord) => Promise<T>,
  ): Promise<T | null> {
    const found = await organisations.findOrganisation(organisation.id)
    return found === null ? null : work(found)
  }

  return {
    showSettings: (access: Access) => withOrganisation(access, (found) => organisationsService.show(found, null)),

    updateSettings: (access: Access, change: OrganisationChange, requestId: string) =>
      withOrganisation<OrganisationChanged>(access, (found) =>
        organisationsService.change(found, change, {
          actor: actorOf(access.manager),
          act: 'settings.update',
          requestId,
        }),
      ),

    askForTier: (access: Access, tier: Tier, requestId: string) =>
      withOrganisation<TierAsked>(access, (found) =>
        organisationsService.askForTier(found, tier, { actor: actorOf(access.manager), act: 'tier.ask', requestId }),
      ),
  }
}
