// Founds, shows and changes organisations, by the same rules for their people and for the operator.
import type { Act } from '../organisation/append-act.ts'
import type { SettingsChanged } from '../organisation/settings/settings.target.ts'
import type { OpenOrganisation } from '../organisation/organisation-client.ts'
import type { Clock } from '../platform/time.ts'
import { newOrganisationId, type PersonId } from '../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../platform/config.ts'
import {
  DEFAULT_SETTINGS,
  type OrganisationSettings,
  type SettingsChange,
  type VersionedSettings,
} from '../policies/organisation-settings.ts'
import { MOST_OWNED_ORGANISATIONS } from '../policies/organisation-limits.policy.ts'
import type { RetentionWarning } from '../policies/log-retention.policy.ts'
import type { ProviderId } from '../providers/provider-registry.ts'
import { isHigherTier, type Tier } from '../policies/tier.policy.ts'
import type { OrganisationRecord, OrganisationsStore, TierRequest } from './organisations.store.ts'

export type NewOrganisation = {
  identity: Pick<OrganisationRecord, 'name' | 'jurisdiction' | 'region'>
  settings: OrganisationSettings
  /** True if its data is invented, which its id shows. */
  isDemo: boolean
}

/** `ifVersion`: the change is made only if this version is in force; null for any version. */
export type OrganisationChange = { name?: string; settings: SettingsChange; ifVersion: number | null }

export type OrganisationChanged =
  | { outcome: 'changed'; record: OrganisationRecord; warnings: readonly RetentionWarning[] }
  | Exclude<SettingsChanged, { outcome: 'changed' }>

/** `not_higher`: the organisation has the tier or a higher one: `tier`. */
export type TierAsked = { outcome: 'asked'; request: TierRequest } | { outcome: 'not_higher'; tier: Tier }

/** The choices of a person who founds an organisation. `region` null: the first European one. */
export type Founding = {
  name: string
  enabledProviders: readonly ProviderId[]
  region: (typeof EUROPEAN_REGIONS)[number] | null
}

/** `too_many`: the person owns `MOST_OWNED_ORGANISATIONS`, and nothing was founded. Throws if the object cannot be reached. */
export type FoundByPerson = (
  founder: PersonId,
  founding: Founding,
  requestId: string,
) => Promise<{ outcome: 'founded'; record: OrganisationRecord } | { outcome: 'too_many' }>

type Deps = { organisations: OrganisationsStore; open: OpenOrganisation; clock: Clock }

export type OrganisationsService = {
  foundByPerson: FoundByPerson
  foundByOperator: (organisation: NewOrganisation, requestId: string) => Promise<OrganisationChanged>
  /** Returns the settings of the object, even if the last write to D1 failed. `act`: the log entry about this read, or null. */
  show: (found: OrganisationRecord, act: Act | null) => Promise<OrganisationRecord>
  /** Changes settings from the organisation's next call on. Sends only changed members, because others may change the rest. */
  change: (found: OrganisationRecord, change: OrganisationChange, act: Act) => Promise<OrganisationChanged>
  /** Asks the operator for a higher tier, in place of an earlier request. The same request again changes nothing. */
  askForTier: (found: OrganisationRecord, tier: Tier, act: Act) => Promise<TierAsked>
}

export function createOrganisationsService({ organisations, open, clock }: Deps): OrganisationsService {
  /**
   * Writes the log's first entry before the row in D1, so that every organisation in D1 has a log. A crash between the two
   * leaves an object without a name, member or key. This is the first call that the object gets, so it sets the object's
   * region.
   */
  async function beginLog({ identity, settings, isDemo }: NewOrganisation, act: Act): Promise<OrganisationChanged> {
    const now = clock()
    const founded = { id: newOrganisationId(now, isDemo), ...identity, createdAt: now, tierRequest: null }
    const changed = await open(founded).settings.change({ change: settings, knownVersion: 0 }, act)
    if (changed.outcome !== 'changed') return changed
    return { outcome: 'changed', record: { ...founded, ...changed.settings }, warnings: changed.warnings }
  }

  /** Copies the object's settings to D1. The object is written first, so that D1 never shows settings that are not in force. */
  async function copyToD1(
    found: OrganisationRecord,
    settings: VersionedSettings,
    name?: string,
  ): Promise<OrganisationRecord> {
    if (settings.version > found.version) await organisations.writeSettings(found.id, settings, name)
    return { ...found, ...settings, ...(name !== undefined && { name }) }
  }

  return {
    async foundByPerson(founder, founding, requestId) {
      if ((await organisations.countOwned(founder)) >= MOST_OWNED_ORGANISATIONS) return { outcome: 'too_many' }
      const act = { actor: founder, act: 'organisation.create', requestId }
      const begun = await beginLog(asNewOrganisation(founding), act)
      // A person cannot set limits when founding, so this change is never refused.
      if (begun.outcome !== 'changed') throw new Error('a founding without limits was refused for its limits')
      const isStored = await organisations.insertOwned(begun.record, founder, MOST_OWNED_ORGANISATIONS)
      return isStored ? { outcome: 'founded', record: begun.record } : { outcome: 'too_many' }
    },

    async foundByOperator(organisation, requestId) {
      const begun = await beginLog(organisation, { actor: 'operator', act: 'organisation.create', requestId })
      if (begun.outcome === 'changed') await organisations.insertOrganisation(begun.record)
      return begun
    },

    show: async (found, act) => copyToD1(found, await open(found).settings.read(act)),

    async change(found, { name, settings, ifVersion }, act) {
      const isRenamed = name !== undefined && name !== found.name
      const wanted = { change: settings, knownVersion: found.version, ifVersion, isRenamed }
      const changed = await open(found).settings.change(wanted, act)
      if (changed.outcome !== 'changed') return changed
      const { warnings } = changed
      const record = await copyToD1(found, changed.settings, name)
      // Only the operator sets a tier, the same one too: that answers the request.
      if (settings.tier === undefined || record.tierRequest === null) return { outcome: 'changed', record, warnings }
      await organisations.writeTierRequest(found.id, null)
      return { outcome: 'changed', record: { ...record, tierRequest: null }, warnings }
    },

    async askForTier(found, tier, act) {
      const object = open(found)
      const { tier: present } = await object.settings.read(null)
      if (!isHigherTier(tier, present)) return { outcome: 'not_higher', tier: present }
      if (found.tierRequest?.tier === tier) return { outcome: 'asked', request: found.tierRequest }
      await object.log.recordAct({ ...act, content: { tier } })
      const request = { tier, requestedAt: clock(), requestedBy: act.actor }
      await organisations.writeTierRequest(found.id, request)
      return { outcome: 'asked', request }
    },
  }
}

const asNewOrganisation = ({ name, enabledProviders, region }: Founding): NewOrganisation => ({
  identity: { name, jurisdiction: 'eu', region: region ?? EUROPEAN_REGIONS[0] },
  settings: { ...DEFAULT_SETTINGS, enabledProviders },
  isDemo: false,
})
