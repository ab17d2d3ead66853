// The service's own keys, those of attestations and those of the public log: of each the public history, a setting, and the
// seeds, each a secret of its own, so that adding one never needs the others. And who signs when.
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { keyIdOf } from './ed25519.ts'
import { parseKeyHistory, signingKeyAt, type HistoricKey, type KeyHistory } from './key-history.ts'
import { importSigningKey, mintKey, publicKeyOf, type SigningKey } from './signing-key.ts'
import { ConfigError, type Config } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import { log } from '../../platform/log.ts'

export type AttestationKeys = {
  readonly history: KeyHistory
  /** By public key, in base64url. Those of retired keys are there as long as their records are to be signed again. */
  readonly seeds: ReadonlyMap<string, Uint8Array>
  /** Made on this machine for development: nobody should pin it, and whoever publishes it says so. */
  readonly isThrowAway: boolean
}

/** `wrong`: the settings that are missing or malformed. A key whose seed is among them is published and does not sign. */
export type ReadKeys = { keys: AttestationKeys | null; wrong: string[] }

/** The setting that holds the history of keys, and how those that hold a seed begin. `purpose`: what the keys sign. */
export type KeySettings = { readonly purpose: string; readonly history: string; readonly seed: string }

export const ATTESTATION_KEY_SETTINGS: KeySettings = {
  purpose: 'attestation',
  history: 'ATTESTATION_KEYS',
  seed: 'ATTESTATION_SEED_',
}

/** The keys that sign the public log’s checkpoints, apart from those that sign receipts. */
export const LOG_KEY_SETTINGS: KeySettings = { purpose: 'log', history: 'LOG_KEYS', seed: 'LOG_SEED_' }

/** The secret that holds a key's seed as 64 hexadecimal digits: `ATTESTATION_SEED_`, say, and the digits of its id. */
export const seedSettingOf = (publicKey: string, { seed } = ATTESTATION_KEY_SETTINGS): string =>
  seed + keyIdOf(publicKey).slice(-16).toUpperCase()

/** Reads the settings named above. Keys are null where there is no history of them. No setting's value is ever told. */
export function readAttestationKeys(
  settings: Readonly<Record<string, unknown>>,
  names: KeySettings = ATTESTATION_KEY_SETTINGS,
): ReadKeys {
  const text = settings[names.history]
  const history = typeof text === 'string' ? parseKeyHistory(text) : null
  if (history === null || history.length === 0) return { keys: null, wrong: [names.history] }
  const seeds = new Map<string, Uint8Array>()
  const wrong: string[] = []
  for (const { public_key: publicKey, status } of history) {
    const name = seedSettingOf(publicKey, names)
    const seed = settings[name]
    if (seed === undefined && status !== 'active') continue
    // SECURITY: a seed is used for the key that it is named after, or not at all.
    if (typeof seed === 'string' && isSeedOf(publicKey, seed)) seeds.set(publicKey, hexToBytes(seed))
    else wrong.push(name)
  }
  return { keys: { history, seeds, isThrowAway: false }, wrong }
}

const isSeedOf = (publicKey: string, seed: string): boolean =>
  /^[0-9a-f]{64}$/.test(seed) && publicKeyOf(hexToBytes(seed)) === publicKey

/** A key for development on one machine, made from a secret of that machine: the same at every start, and no other's. */
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

/** The key that signs at a time (milliseconds since the epoch): the newest active one whose time has come and whose seed is here. */
export const currentKey = ({ history, seeds }: AttestationKeys, now: number): HistoricKey | null =>
  signingKeyAt(
    history.filter(({ public_key: key }) => seeds.has(key)),
    now,
  )

export type Signer = {
  /** As `currentKey`; null when there is none. */
  keyAt: (now: number) => Promise<SigningKey | null>
  /** Its public key, in base64url. */
  nameAt: (now: number) => string | null
  /** The key of that name, to sign a record again that it signed before; null where its seed is gone. */
  keyNamed: (publicKey: string) => Promise<SigningKey | null>
  /** Whether the key of that name is published, and neither retired nor revoked. */
  isActive: (publicKey: string) => boolean
}

/** Imports each key once. Keep the signer as long as the isolate lives. */
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

/** Null where there is no history of keys. The log names each setting that is missing or wrong. */
export function configuredKeys(
  env: object,
  { environment, signingPepper }: Pick<Config, 'environment' | 'signingPepper'>,
): AttestationKeys | null {
  if (environment === 'local' && !('ATTESTATION_KEYS' in env)) return throwAwayKeys(signingPepper.bytes)
  const { keys, wrong } = readAttestationKeys({ ...env })
  if (wrong.length > 0) log({ level: 'error', event: 'misconfigured', settings: new ConfigError(wrong).message })
  return keys
}

/** What is answered where a key that signs would be needed and there is none. */
export const noSigningKey = (): AppError =>
  new AppError('service_unavailable', 'Decisions cannot be signed at this address yet. Tell the operator.', {
    headers: { 'x-should-retry': 'false' },
  })
