// Reads and checks the settings for the public log's checkpoints (origin, keys, witnesses). Also makes their signer.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { toDotPath } from 'zod/v4/core'
import {
  createSigner,
  LOG_KEY_SETTINGS,
  readConfiguredKeys,
  throwAwayKeys,
  type AttestationKeys,
} from '../evidence/records/configured-keys.ts'
import { parseKeyHistory } from '../evidence/records/key-history.ts'
import { ConfigError, isSafeAddress, type Config } from '../platform/config.ts'
import { readJson } from '../platform/json.ts'
import { log as logLine } from '../platform/log.ts'
import { HttpUrlSchema } from '../platform/sign-in-config.ts'
import type { Witness } from './ask-witnesses.ts'
import { isKeyName, noteKeyFromBase64url, parseVkey } from '../evidence/checkpoint/note-key.ts'
import { ed25519Signer, type NoteSigner } from '../evidence/checkpoint/note-signature.ts'
import { findPolicyFault } from '../evidence/checkpoint/witness-policy.ts'

export type LogConfig = {
  /** The first line of every checkpoint, and the name of every key that signs one. */
  readonly origin: string
  readonly keys: AttestationKeys
  readonly witnesses: readonly Witness[]
  /** How many witnesses readers should require. Delays no checkpoint. */
  readonly quorum: number
}

/** `wrong`: settings that are missing, malformed or contradictory. A key whose seed is missing does not sign. */
export type LogConfigResult = { readonly log: LogConfig | null; readonly wrong: readonly string[] }

type Deployment = Pick<Config, 'environment' | 'signingPepper' | 'signIn'>

const WitnessSchema = once(() =>
  z.strictObject({
    vkey: z.string().transform((text, ctx) => {
      const key = parseVkey(text)
      if (key === null) ctx.addIssue({ code: 'custom', message: 'not a vkey' })
      return key ?? z.NEVER
    }),
    url: HttpUrlSchema().transform((address) => address.replace(/\/+$/, '')),
  }),
)

const SettingsSchema = once(() =>
  z.object({
    LOG_ORIGIN: z.string().refine(isKeyName).optional(),
    WITNESSES: z.string().default('[]').transform(readJson).pipe(z.array(WitnessSchema()).max(16)),
    WITNESS_QUORUM: z.coerce.number().pipe(z.int().min(0)).optional(),
  }),
)

/** Reads LOG_ORIGIN, LOG_KEYS, LOG_SEED_…, WITNESSES and WITNESS_QUORUM. `wrong` has names of settings, never values. */
export function readLogConfig(settings: Readonly<Record<string, unknown>>, deployment: Deployment): LogConfigResult {
  const parsed = SettingsSchema().safeParse(settings)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path }) => toDotPath(path))
    return { log: null, wrong: [...new Set(wrong)] }
  }
  const { keys, wrong } = readKeys(settings, deployment)
  if (keys === null) return { log: null, wrong }
  const witnesses = parsed.data.WITNESSES.map(({ vkey: key, url }) => ({ key, url }))
  const log: LogConfig = {
    origin: parsed.data.LOG_ORIGIN ?? defaultOrigin(deployment.signIn.publicOrigin),
    keys,
    witnesses,
    // Several keys can have the name of one witness.
    quorum: parsed.data.WITNESS_QUORUM ?? new Set(witnesses.map(({ key }) => key.name)).size,
  }
  const contradiction = findContradiction(log, settings, deployment)
  return contradiction === null ? { log, wrong } : { log: null, wrong: [...wrong, contradiction] }
}

/** Reads the settings and logs the names of wrong ones. Returns null if there is no log key, or if the log cannot be used. */
export function loadLogConfig(env: object, deployment: Deployment): LogConfig | null {
  const read = readLogConfig({ ...env }, deployment)
  if (read.wrong.length > 0)
    logLine({ level: 'error', event: 'misconfigured', settings: new ConfigError([...read.wrong]).message })
  return read.log
}

/** Returns the key that signs checkpoints at a time (milliseconds since the epoch); null before the first key's time. */
export async function logSignerAt({ origin, keys }: LogConfig, now: number): Promise<NoteSigner | null> {
  const key = await createSigner(keys).keyAt(now)
  return key === null ? null : ed25519Signer(origin, key)
}

/** `countersign.example/v1/public/transparency`: the URL of tiles and checkpoint, without the scheme. */
export const defaultOrigin = (publicOrigin: string | null): string =>
  `${publicOrigin === null ? 'localhost' : new URL(publicOrigin).host}/v1/public/transparency`

/** A deployment without the setting, or with an empty history, has no log key. This is not an error. */
function readKeys(settings: Readonly<Record<string, unknown>>, { environment, signingPepper }: Deployment) {
  const { [LOG_KEY_SETTINGS.history]: history } = settings
  if (history === undefined) {
    const keys = environment === 'local' ? throwAwayKeys(signingPepper.bytes, LOG_KEY_SETTINGS) : null
    return { keys, wrong: [] }
  }
  if (typeof history === 'string' && parseKeyHistory(history)?.length === 0) return { keys: null, wrong: [] }
  return readConfiguredKeys(settings, LOG_KEY_SETTINGS)
}

/** Returns the name of a setting that is well-formed but does not fit the others, or null. */
function findContradiction(
  { origin, keys, witnesses, quorum }: LogConfig,
  settings: Readonly<Record<string, unknown>>,
  { environment }: Deployment,
): string | null {
  // SECURITY: one key must not sign two kinds of text.
  const { ATTESTATION_KEYS: receipts } = settings
  const isShared = keys.history.some(({ public_key: key }) => typeof receipts === 'string' && receipts.includes(key))
  if (isShared) return LOG_KEY_SETTINGS.history
  const unsafe = witnesses.findIndex(({ url }) => !isSafeAddress(url, environment))
  if (unsafe !== -1) return `WITNESSES[${unsafe}].url`
  const log = keys.history.map(({ public_key: key }) => noteKeyFromBase64url(origin, 'ed25519', key))
  const fault = findPolicyFault({ log, witnesses: witnesses.map(({ key }) => key), quorum })
  if (fault === null) return null
  return fault === 'quorum_unreachable' ? 'WITNESS_QUORUM' : 'WITNESSES'
}
