// Founds organisations, sets their tiers, manages their keys and checks their logs for the operator. Every use is written to a log
// before the response: the organisation's, or the operator's if no single organisation is concerned.
import { mintKey, type KeyPrefix } from '../../keys/key-format.ts'
import type { CreateKey, KeyScope, KeyRecord, PepperSchema, RevokedKey } from '../../keys/key.schema.ts'
import type { KeyPage } from '../../keys/keys.store.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import type { StateCheckResult } from '../../organisation/journal/check-state.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { KeyCreated } from '../../organisation/keys/keys.target.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { PublicLog } from '../../public-log/public-log.do.ts'
import type { TileCheckResult, TileCheckRequest } from '../../tiles/check-tiles.ts'
import { keyId, OPERATOR_LOG_NAME, uuidV7Bytes } from '../../platform/ids.ts'
import type { Infer } from '../../platform/once.ts'
import { fromWire } from '../../platform/wire.ts'
import { nullIfClosedForErasure } from '../../organisation/erasure/erasure-refusal.ts'
import type { Clock } from '../../platform/time.ts'
import { EUROPEAN_REGIONS, type Pepper } from '../../platform/config.ts'
import type { OrganisationChange, OrganisationChanged, OrganisationsService } from '../organisations.service.ts'
import type { OrganisationRecord, OrganisationsStore } from '../organisations.store.ts'

type Deps = {
  organisations: OrganisationsStore
  organisationsService: Pick<OrganisationsService, 'foundByOperator' | 'show' | 'change'>
  open: OpenOrganisation
  openPublicLog: () => Pick<DurableObjectStub<PublicLog>, 'checkTiles'>
  /** Returns how many secrets of authenticator apps each version of the pepper seals. */
  countByPepper: () => Promise<{ pepper: string; secrets: number }[]>
  clock: Clock
  /** The secret that new keys are made with. */
  pepper: Pepper
}

const DEFAULT_SCOPES: Record<KeyPrefix, readonly KeyScope[]> = {
  vk_test_: ['referral:read', 'waiting-lists:read'],
  vk_live_: ['referral:read', 'waiting-lists:read'],
  aqta_: ['chat'],
  'sk-aqta-': ['chat'],
}

/** SECURITY: only this result ever contains the whole key. */
export type KeyIssued =
  | { outcome: 'created'; record: KeyRecord; key: string }
  | Exclude<KeyCreated, { outcome: 'created' }>

export const byOperator = (act: string, requestId: string, content: EntryContent = {}): Act => ({
  actor: 'operator',
  act,
  requestId,
  content,
})

export type OperatorService = ReturnType<typeof createOperatorService>

export function createOperatorService(deps: Deps) {
  const { organisations, organisationsService, open, openPublicLog, countByPepper, clock, pepper } = deps
  const operatorLedger = () => open({ id: OPERATOR_LOG_NAME, jurisdiction: 'eu', region: EUROPEAN_REGIONS[0] })

  /** Returns null if the organisation does not exist or is being erased. Checks this before anything is logged for it. */
  async function withOrganisation<T>(id: string, work: (found: OrganisationRecord) => Promise<T>): Promise<T | null> {
    const found = await organisations.findOrganisation(id)
    return found === null ? null : nullIfClosedForErasure(work(found))
  }

  return {
    createOrganisation: organisationsService.foundByOperator,

    async listOrganisations(
      limit: number,
      cursor: string | undefined,
      requestId: string,
    ): Promise<OrganisationRecord[]> {
      await operatorLedger().log.recordAct(byOperator('organisation.list', requestId))
      return organisations.listOrganisations(limit, cursor)
    },

    /** Checks an organisation's state and its counts of calls. Throws if the object cannot be reached. */
    checkLedger: (id: string, requestId: string) =>
      withOrganisation<StateCheckResult>(id, async (found) => {
        const object = open(found)
        const state = await object.log.checkState(byOperator('ledger.check', requestId))
        const usage = await object.usage.check()
        const unreadable = usage.unreadable === 0 ? [] : [`unreadable.${usage.unreadable}`]
        const counts = [...usage.differences, ...unreadable].map((place) => `usage.${place}`)
        return { ...state, differences: [...state.differences, ...counts] }
      }),

    showOrganisation: (id: string, requestId: string) =>
      withOrganisation(id, (found) => organisationsService.show(found, byOperator('organisation.show', requestId))),

    updateOrganisation: (id: string, change: OrganisationChange, requestId: string) =>
      withOrganisation<OrganisationChanged>(id, (found) =>
        organisationsService.change(found, change, byOperator('organisation.update', requestId)),
      ),

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
          requestsPerMinute: null,
          requestsPerDay: null,
          dataRegion: null,
          evaluation: false,
          expiresAt: null,
          scopes: DEFAULT_SCOPES[input.prefix],
          ...fromWire(input),
          id: newKeyId,
          secretHash: minted.secretHash,
          lastFour: minted.lastFour,
          createdAt: now,
          createdBy: 'operator',
          revokedAt: null,
          lastUsedAt: null,
          replacedBy: null,
        }
        const created = await open(found).keys.issue(record, byOperator('key.create', requestId))
        return created.outcome === 'created' ? { ...created, record, key: minted.key } : created
      }),

    listKeys: (id: string, page: Omit<KeyPage, 'status'>, requestId: string) =>
      withOrganisation<KeyRecord[]>(id, async (found) =>
        open(found).keys.list({ ...page, status: 'all' }, byOperator('key.list', requestId)),
      ),

    showKey: (id: string, key: string, requestId: string) =>
      withOrganisation<KeyRecord | null>(id, async (found) =>
        open(found).keys.find(key, byOperator('key.show', requestId, { key_id: key })),
      ),

    async listPeppers(requestId: string): Promise<Infer<typeof PepperSchema>[]> {
      await operatorLedger().log.recordAct(byOperator('pepper.list', requestId))
      return (await countByPepper()).map(({ pepper: id, secrets }) => ({ id, object: 'pepper', totp_secrets: secrets }))
    },

    /** Records that a key is shared with all visitors, or that none is. */
    recordSharedKey: (key: { organisationId: string; keyId: string } | null, requestId: string) =>
      key === null
        ? operatorLedger().log.recordAct(byOperator('sandbox_key.withdraw', requestId))
        : withOrganisation(key.organisationId, async (found) =>
            open(found).log.recordAct(byOperator('sandbox_key.share', requestId, { key_id: key.keyId })),
          ),

    /** Records an act on the figures that all organisations are served. */
    recordDatasetAct: (act: string, content: EntryContent, requestId: string) =>
      operatorLedger().log.recordAct(byOperator(`dataset.${act}`, requestId, content)),

    revokeKey: (id: string, key: string, requestId: string) =>
      withOrganisation<RevokedKey | null>(id, async (found) =>
        open(found).keys.revoke(key, byOperator('key.revoke', requestId, { key_id: key })),
      ),

    /** Checks or restores a page of the tiles of an organisation's log. */
    checkTiles: (id: string, wanted: TileCheckRequest, requestId: string) =>
      withOrganisation<TileCheckResult>(id, async (found) =>
        open(found).log.checkTiles(wanted, byOperator(`ledger.${wanted.act}_tiles`, requestId)),
      ),

    async checkPublicTiles(wanted: TileCheckRequest, requestId: string): Promise<TileCheckResult> {
      await operatorLedger().log.recordAct(byOperator(`public_log.${wanted.act}_tiles`, requestId))
      return openPublicLog().checkTiles(wanted)
    },
  }
}
