// Manages an organisation's keys, for its people and its keys. The organisation's object decides what is allowed.
import type { KeyChange, RotatedKey } from '../../keys/key-change.policy.ts'
import { mintKey } from '../../keys/key-format.ts'
import type { KeyPage, KeyRecord } from '../../keys/keys.store.ts'
import type { Claim } from '../../organisation/admit/idempotency.store.ts'
import type {
  KeyActor,
  KeyEnded,
  KeyMade,
  KeyRefusal,
  KeyRotated,
  KeyUpdated,
  MintedRecord,
} from '../../organisation/keys/keys.target.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'
import type { Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import { keyId, uuidV7Bytes, type KeyId } from '../../platform/ids.ts'
import type { Access, Manager } from '../../accounts/access/access.ts'
import { may } from '../../accounts/access/roles.policy.ts'
import { isFresh } from '../../accounts/people/sessions.store.ts'

type Deps = {
  open: OpenOrganisation
  clock: Clock
  /** The pepper that signs new keys. */
  pepper: Pepper
}

/** A request and its caller. `claim`: from its `Idempotency-Key`. */
export type KeysRequest = { access: Access; requestId: string; claim?: Omit<Claim, 'claimant'> | null }

export type WantedKey = Omit<MintedRecord, 'id' | 'secretHash' | 'lastFour' | 'createdAt'>

/** SECURITY: only this result ever contains the whole key. */
export type KeyShown<Made> = Made & { secret: string }

export type KeyIssued = KeyShown<Extract<KeyMade, { outcome: 'made' }>> | KeyRefusal
export type KeyReplaced =
  | KeyShown<Extract<RotatedKey, { outcome: 'rotated_now' }>>
  | Exclude<KeyRotated, { outcome: 'rotated_now' }>

export type KeysService = ReturnType<typeof createKeysService>

export function createKeysService({ open, clock, pepper }: Deps) {
  const askedOf = ({ access, requestId, claim = null }: KeysRequest) => ({
    object: open(access.organisation),
    request: { actor: actorOf(access.manager, clock()), requestId, claim },
  })

  const mint = ({ organisation }: Access, prefix: KeyRecord['prefix'], id: KeyId) =>
    mintKey({ prefix, pepper, jurisdiction: organisation.jurisdiction, organisationId: organisation.id, keyId: id })

  return {
    listKeys: async ({ access }: KeysRequest, page: KeyPage): Promise<KeyRecord[]> =>
      open(access.organisation).keys.list(page, null),

    showKey: async ({ access }: KeysRequest, id: KeyId): Promise<KeyRecord | null> =>
      open(access.organisation).keys.find(id, null),

    async createKey(asked: KeysRequest, wanted: WantedKey): Promise<KeyIssued> {
      const { object, request } = askedOf(asked)
      const createdAt = clock()
      const id = keyId(uuidV7Bytes(createdAt))
      const { key: secret, secretHash, lastFour } = mint(asked.access, wanted.prefix, id)
      const made = await object.keys.make({ ...wanted, id, secretHash, lastFour, createdAt }, request)
      return made.outcome === 'made' ? { ...made, secret } : made
    },

    async updateKey(asked: KeysRequest, id: KeyId, change: KeyChange): Promise<KeyUpdated> {
      const { object, request } = askedOf(asked)
      return object.keys.update(id, change, request)
    },

    /** Reads the old key first, because its prefix never changes and is part of the new key. */
    async rotateKey(asked: KeysRequest, id: KeyId, overlapMs: number): Promise<KeyReplaced> {
      const { object, request } = askedOf(asked)
      const old = await object.keys.find(id, null)
      if (old === null) return { outcome: 'not_found' }
      const newId = keyId(uuidV7Bytes(clock()))
      const { key: secret, secretHash, lastFour } = mint(asked.access, old.prefix, newId)
      const successor = { id: newId, secretHash, lastFour }
      const rotated = await object.keys.rotate({ id, successor, overlapMs }, request)
      return rotated.outcome === 'rotated_now' ? { ...rotated, secret } : rotated
    },

    async revokeKey(asked: KeysRequest, id: KeyId): Promise<KeyEnded> {
      const { object, request } = askedOf(asked)
      return object.keys.end(id, request)
    },
  }
}

function actorOf(manager: Manager, now: number): KeyActor {
  if (manager.kind === 'key') return { kind: 'key', id: manager.id }
  const { id, role, session } = manager
  return { kind: 'person', id, reach: may(role, 'keys:all') ? 'all' : 'own', isFresh: isFresh(session, now) }
}
