// The keys this deployment signs with. Where they are missing, letters are read all the same, and only what would have
// to be signed is refused.
import { ConfigError, type Config } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import { log } from '../../platform/log.ts'
import { readAttestationKeys, throwAwayKeys, type AttestationKeys } from './attestation-keys.ts'

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
