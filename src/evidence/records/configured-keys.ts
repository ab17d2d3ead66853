// Reads the service's own signing keys from settings, for attestations and for the public log. Creates the signer that uses them.
// Each seed is a secret of its own, so adding a key never needs the other seeds.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { keyIdOf } from './ed25519.ts'
import { parseKeyHistory, signingKeyAt, toPublishedKey, type HistoricKey, type KeyHistory } from './key-history.ts'
import { readKeyList } from './key-list.ts'
import type { PinnedTrust } from './verify-record.ts'
import { importSigningKey, mintKey, publicKeyOf, type SigningKey } from './signing-key.ts'
import { ConfigError, type Config } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import { log } from '../../platform/log.ts'

export type AttestationKeys = {
  readonly history: KeyHistory
  /** By public key, in base64url. A retired key's seed stays while its records may be signed again. */
  readonly seeds: ReadonlyMap<string, Uint8Array>
  /** True for a key made on this machine for development. Nobody should pin it, and responses say so. */
  readonly isThrowAway: boolean
}

/** `wrong`: the names of missing or malformed settings. A key whose seed is wrong is published and does not sign. */
export type KeysOfSettings = { keys: AttestationKeys | null; wrong: string[] }

/**
 * `history`: the setting with the key history. `seed`: the prefix of the settings with seeds. `purpose`: what the keys
 * sign.
 */
export type KeySettings = { readonly purpose: string; readonly history: string; readonly seed: string }

export const ATTESTATION_KEY_SETTINGS: KeySettings = {
  purpose: 'attestation',
  history: 'ATTESTATION_KEYS',
  seed: 'ATTESTATION_SEED_',
}

/** The keys that sign the public log’s checkpoints. Records are signed with the attestation keys. */
export const LOG_KEY_SETTINGS: KeySettings = { purpose: 'log', history: 'LOG_KEYS', seed: 'LOG_SEED_' }

/** Returns the name of the secret with a key's seed (64 hexadecimal digits): the prefix and the end of the key's id. */
export const seedSettingOf = (publicKey: string, { seed } = ATTESTATION_KEY_SETTINGS): string =>
  seed + keyIdOf(publicKey).slice(-16).toUpperCase()

/** Reads the settings. `keys` is null without a history. The result never contains a setting's value. */
export function readConfiguredKeys(
  settings: Readonly<Record<string, unknown>>,
  names: KeySettings = ATTESTATION_KEY_SETTINGS,
): KeysOfSettings {
  const text = settings[names.history]
  const history = typeof text === 'string' ? parseKeyHistory(text) : null
  if (history === null || history.length === 0) return { keys: null, wrong: [names.history] }
  const seeds = new Map<string, Uint8Array>()
  const wrong: string[] = []
  for (const { public_key: publicKey, status } of history) {
    const name = seedSettingOf(publicKey, names)
    const seed = settings[name]
    if (seed === undefined && status !== 'active') continue
    // SECURITY: a seed signs only for the key in its setting's name.
    if (typeof seed === 'string' && isSeedOf(publicKey, seed)) seeds.set(publicKey, hexToBytes(seed))
    else wrong.push(name)
  }
  return { keys: { history, seeds, isThrowAway: false }, wrong }
}

const isSeedOf = (publicKey: string, seed: string): boolean =>
  /^[0-9a-f]{64}$/.test(seed) && publicKeyOf(hexToBytes(seed)) === publicKey

/** Returns a key for local development, derived from the machine's secret, so every start gives the same key. */
export function throwAwayKeys(machineSecret: Uint8Array, { purpose } = ATTESTATION_KEY_SETTINGS): AttestationKeys {
  let draws = 0
  const { seed, publicKey } = mintKey(() => {
    const label = `${purpose} seed for local development${draws === 0 ? '' : ` ${draws}`}`
    draws += 1
    return hmac(sha256, machineSecret, utf8ToBytes(label))
  })
  return {
    history: [{ public_key: publicKey, status: 'active', valid_from: '2025-01-01T00:00:00Z', valid_until: null }],
    seeds: new Map([[publicKey, seed]]),
    isThrowAway: true,
  }
}

/** Returns the newest active key that is valid at `now` (milliseconds since the epoch) and has a seed here. */
export const currentKey = ({ history, seeds }: AttestationKeys, now: number): HistoricKey | null =>
  signingKeyAt(
    history.filter(({ public_key: key }) => seeds.has(key)),
    now,
  )

/** Returns the keys that the service publishes, each with its period of validity. */
export function publishedTrust(keys: AttestationKeys | null): PinnedTrust {
  const read = readKeyList({ keys: (keys?.history ?? []).map(toPublishedKey) })
  return { keys: [], ...(read.ok && { list: read.keys }) }
}

export type Signer = {
  /** Returns the key of `currentKey`; null if no key can sign. */
  keyAt: (now: number) => Promise<SigningKey | null>
  /** Returns the public key of `currentKey`, in base64url; null if no key can sign. */
  nameAt: (now: number) => string | null
  /** Returns the named key, to sign again a record that it signed before; null if its seed is missing. */
  keyNamed: (publicKey: string) => Promise<SigningKey | null>
  /** Returns true if the named key is published and neither retired nor revoked. */
  isActive: (publicKey: string) => boolean
}

/** Imports each key once. Use one signer for the life of the isolate. */
export function createSigner(keys: AttestationKeys): Signer {
  const { history, seeds } = keys
  const imported = new Map<string, Promise<SigningKey>>()
  const keyNamed = async (publicKey: string): Promise<SigningKey | null> => {
    const known = imported.get(publicKey)
    if (known !== undefined) return known
    const seed = seeds.get(publicKey)
    if (seed === undefined) return null
    const importing = importSigningKey(seed)
    imported.set(publicKey, importing)
    return importing
  }
  const nameAt = (now: number): string | null => currentKey(keys, now)?.public_key ?? null
  return {
    keyAt: async (now) => {
      const name = nameAt(now)
      return name === null ? null : keyNamed(name)
    },
    nameAt,
    keyNamed,
    isActive: (publicKey) => history.some((key) => key.public_key === publicKey && key.status === 'active'),
  }
}

/**
 * Returns null without a key history. Logs the name of each missing or wrong setting. Without keys the service still reads
 * letters and refuses only work that needs a signature.
 */
export function configuredKeys(
  env: object,
  { environment, signingPepper }: Pick<Config, 'environment' | 'signingPepper'>,
): AttestationKeys | null {
  if (environment === 'local' && !('ATTESTATION_KEYS' in env)) return throwAwayKeys(signingPepper.bytes)
  const { keys, wrong } = readConfiguredKeys({ ...env })
  if (wrong.length > 0) log({ level: 'error', event: 'misconfigured', settings: new ConfigError(wrong).message })
  return keys
}

/** Returns the error for an operation that needs a signing key when no key can sign. */
export const noSigningKey = (): AppError =>
  new AppError('service_unavailable', 'This service has no key to sign decisions with. Tell the operator.', {
    headers: { 'x-should-retry': 'false' },
  })
