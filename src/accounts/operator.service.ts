// The operator's verbs: found organisations, set their tiers, issue and revoke keys. Every use is written to a ledger,
// before it is answered: the organisation's own, or the operator's where no single organisation is concerned.
import { mintKey, type KeyPrefix } from '../keys/key-format.ts'
import type { CreateKey, KeyScope } from '../keys/key.schema.ts'
import type { KeyRecord } from '../keys/keys.store.ts'
import { OPERATOR_LEDGER, type OpenOrganisation } from '../organisation/organisation-stub.ts'
import type { Clock } from '../platform/clock.ts'
import type { Pepper } from '../platform/config.ts'
import { keyId, organisationId, uuidV7Bytes } from '../platform/ids.ts'
import { limitNotCustom, type CustomLimits } from '../policies/tier.policy.ts'
import type { OrganisationRecord, OrganisationsStore } from './organisations.store.ts'

type Deps = {
  organisations: OrganisationsStore
  open: OpenOrganisation
  clock: Clock
  /** The pepper that signs new keys. */
  pepper: Pepper
}

const DEFAULT_SCOPES: Record<KeyPrefix, readonly KeyScope[]> = {
  vk_test_: ['referral:read', 'waiting-lists:read'],
  vk_live_: ['referral:read', 'waiting-lists:read'],
  aqta_: ['chat'],
  'sk-aqta-': ['chat'],
}

export type OrganisationChange = Partial<Omit<OrganisationRecord, 'id' | 'jurisdiction' | 'createdAt'>>

/** `not_custom`: the tier does not let this limit be set. */
export type SettingsChange =
  | { outcome: 'done'; record: OrganisationRecord }
  | { outcome: 'not_custom'; limit: keyof CustomLimits }

export type OperatorService = ReturnType<typeof createOperatorService>

export function createOperatorService({ organisations, open, clock, pepper }: Deps) {
  const operatorLedger = () => open({ id: OPERATOR_LEDGER, jurisdiction: 'eu' })

  /** Null when there is no such organisation: asked for before anything is written in its name. */
  async function withOrganisation<T>(id: string, work: (found: OrganisationRecord) => Promise<T>): Promise<T | null> {
    const found = await organisations.findOrganisation(id)
    return found === null ? null : work(found)
  }

  /** The object has the settings before D1 does, so that what is shown is in force. */
  async function applySettings(record: OrganisationRecord, act: string, requestId: string): Promise<void> {
    const { tier, enabledProviders, requestsPerMinute, requestsPerMonth, monthlyBudgetMicroeur } = record
    const content = {
      tier,
      enabled_providers: enabledProviders,
      requests_per_minute: requestsPerMinute,
      requests_per_month: requestsPerMonth,
      monthly_budget_microeur: monthlyBudgetMicroeur,
    }
    const settings = { tier, enabledProviders, requestsPerMinute, requestsPerMonth, monthlyBudgetMicroeur }
    await open(record).applySettings(settings, { act, requestId, content })
  }

  return {
    /** The ledger's first entry comes before the row, so that an organisation that can be found has its ledger. */
    async createOrganisation(
      input: Omit<OrganisationRecord, 'id' | 'createdAt'>,
      requestId: string,
    ): Promise<SettingsChange> {
      const notCustom = limitNotCustom(input.tier, input)
      if (notCustom !== null) return { outcome: 'not_custom', limit: notCustom }
      const now = clock()
      const record = { id: organisationId(uuidV7Bytes(now)), ...input, createdAt: now }
      await applySettings(record, 'organisation.create', requestId)
      await organisations.insertOrganisation(record)
      return { outcome: 'done', record }
    },

    async listOrganisations(
      limit: number,
      cursor: string | undefined,
      requestId: string,
    ): Promise<OrganisationRecord[]> {
      await operatorLedger().recordAct({ act: 'organisation.list', requestId })
      return organisations.listOrganisations(limit, cursor)
    },

    showOrganisation: (id: string, requestId: string) =>
      withOrganisation(id, async (found) => {
        await open(found).recordAct({ act: 'organisation.show', requestId })
        return found
      }),

    /** In force from the organisation's next call on. */
    updateOrganisation: (id: string, change: OrganisationChange, requestId: string) =>
      withOrganisation<SettingsChange>(id, async (found) => {
        const record = { ...found, ...change }
        const notCustom = limitNotCustom(record.tier, change)
        if (notCustom !== null) return { outcome: 'not_custom', limit: notCustom }
        await applySettings(record, 'organisation.update', requestId)
        await organisations.updateOrganisation(record)
        return { outcome: 'done', record }
      }),

    /** The full key is in this answer and nowhere else, ever again. */
    createKey: (id: string, input: CreateKey, requestId: string) =>
      withOrganisation(id, async (found) => {
        const now = clock()
        const newKeyId = keyId(uuidV7Bytes(now))
        const minted = mintKey({
          prefix: input.prefix,
          pepper,
          jurisdiction: found.jurisdiction,
          organisationId: found.id,
          keyId: newKeyId,
        })
        const record: KeyRecord = {
          id: newKeyId,
          prefix: input.prefix,
          name: input.name,
          secretHash: minted.secretHash,
          lastFour: minted.lastFour,
          scopes: input.scopes ?? DEFAULT_SCOPES[input.prefix],
          requestsPerMinute: input.requests_per_minute ?? null,
          requestsPerDay: input.requests_per_day ?? null,
          createdAt: now,
          expiresAt: input.expires_at === undefined ? null : Date.parse(input.expires_at),
          revokedAt: null,
        }
        const content = { key_id: newKeyId, prefix: input.prefix }
        await open(found).createKey(record, { act: 'key.create', requestId, content })
        return { record, key: minted.key }
      }),

    listKeys: (id: string, requestId: string) =>
      withOrganisation<KeyRecord[]>(id, async (found) => open(found).listKeys({ act: 'key.list', requestId })),

    showKey: (id: string, key: string, requestId: string) =>
      withOrganisation<KeyRecord | null>(id, async (found) =>
        open(found).findKey(key, { act: 'key.show', requestId, content: { key_id: key } }),
      ),

    revokeKey: (id: string, key: string, requestId: string) =>
      withOrganisation<KeyRecord | null>(id, async (found) =>
        open(found).revokeKey(key, { act: 'key.revoke', requestId, content: { key_id: key } }),
      ),
  }
}
