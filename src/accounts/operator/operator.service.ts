// The operator's verbs: found organisations, set their tiers, issue and revoke keys. Every use is written to a ledger,
// before it is answered: the organisation's own, or the operator's where no single organisation is concerned.
import { mintKey, type KeyPrefix } from '../../keys/key-format.ts'
import type { CreateKey, KeyScope } from '../../keys/key.schema.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { EntryContent } from '../../ledger/entry.ts'
import type { Act, KeyCreated } from '../../organisation/acts.ts'
import { OPERATOR_LEDGER, type OpenOrganisation } from '../../organisation/organisation-stub.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Pepper } from '../../platform/config.ts'
import { keyId, uuidV7Bytes } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/regions.ts'
import type { SettingsChange, VersionedSettings } from '../../policies/organisation-settings.ts'
import type { OrganisationChanged, OrganisationsService } from '../organisations.service.ts'
import type { OrganisationRecord, OrganisationsStore } from '../organisations.store.ts'

type Deps = {
  organisations: OrganisationsStore
  foundByOperator: OrganisationsService['foundByOperator']
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

export type OrganisationChange = { name?: string; settings: SettingsChange }

/** The full key is in this answer and nowhere else, ever again. */
export type KeyIssued =
  | { outcome: 'created'; record: KeyRecord; key: string }
  | Exclude<KeyCreated, { outcome: 'created' }>

const byOperator = (act: string, requestId: string, content: EntryContent = {}): Act => ({
  actor: 'operator',
  act,
  requestId,
  content,
})

export type OperatorService = ReturnType<typeof createOperatorService>

export function createOperatorService({ organisations, foundByOperator, open, clock, pepper }: Deps) {
  const operatorLedger = () => open({ id: OPERATOR_LEDGER, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })

  /** Null when there is no such organisation: asked for before anything is written in its name. */
  async function withOrganisation<T>(id: string, work: (found: OrganisationRecord) => Promise<T>): Promise<T | null> {
    const found = await organisations.findOrganisation(id)
    return found === null ? null : work(found)
  }

  /** The object has the settings before D1 does, so that what is shown is in force; D1 then never gets older ones. */
  async function index(found: OrganisationRecord, settings: VersionedSettings): Promise<OrganisationRecord> {
    if (settings.version > found.version) await organisations.writeSettings(found.id, settings)
    return { ...found, ...settings }
  }

  return {
    createOrganisation: foundByOperator,

    async listOrganisations(
      limit: number,
      cursor: string | undefined,
      requestId: string,
    ): Promise<OrganisationRecord[]> {
      await operatorLedger().recordAct(byOperator('organisation.list', requestId))
      return organisations.listOrganisations(limit, cursor)
    },

    /** As its object has it, whatever became of the last write to D1. */
    showOrganisation: (id: string, requestId: string) =>
      withOrganisation(id, async (found) =>
        index(found, await open(found).readSettings(byOperator('organisation.show', requestId))),
      ),

    /** In force from the organisation's next call on. Only what is to change is sent: others may change the rest. */
    updateOrganisation: (id: string, { name, settings }: OrganisationChange, requestId: string) =>
      withOrganisation<OrganisationChanged>(id, async (found) => {
        const act = byOperator('organisation.update', requestId)
        const changed = await open(found).changeSettings(settings, found.version, act)
        if (changed.outcome !== 'changed') return changed
        if (name !== undefined) await organisations.renameOrganisation(id, name)
        const record = await index({ ...found, ...(name !== undefined && { name }) }, changed.settings)
        return { outcome: 'changed', record }
      }),

    createKey: (id: string, input: CreateKey, requestId: string) =>
      withOrganisation<KeyIssued>(id, async (found) => {
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
          createdBy: 'operator',
          lastUsedAt: null,
          replacedBy: null,
        }
        const content = { key_id: newKeyId, prefix: input.prefix }
        const created = await open(found).createKey(record, byOperator('key.create', requestId, content))
        return created.outcome === 'created' ? { ...created, record, key: minted.key } : created
      }),

    listKeys: (id: string, requestId: string) =>
      withOrganisation<KeyRecord[]>(id, async (found) => open(found).listKeys(byOperator('key.list', requestId))),

    showKey: (id: string, key: string, requestId: string) =>
      withOrganisation<KeyRecord | null>(id, async (found) =>
        open(found).findKey(key, byOperator('key.show', requestId, { key_id: key })),
      ),

    revokeKey: (id: string, key: string, requestId: string) =>
      withOrganisation<KeyRecord | null>(id, async (found) =>
        open(found).revokeKey(key, byOperator('key.revoke', requestId, { key_id: key })),
      ),
  }
}
