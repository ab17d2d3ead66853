// Makes and hashes recovery codes. SECURITY: a code has 120 random bits, so that a plain hash of it cannot be guessed.
import { sha256 } from '../../platform/sha256.ts'
import { base32 } from './totp.ts'

const CODES = 8
const CODE_BYTES = 15

/** Returns codes of 24 characters, in fours. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () =>
    base32(crypto.getRandomValues(new Uint8Array(CODE_BYTES))).replaceAll(/(.{4})(?=.)/g, '$1-'),
  )

/** Case, spaces and dashes make no difference. */
export const hashRecoveryCode = (code: string): Uint8Array<ArrayBuffer> =>
  sha256(`recovery-1.${code.toUpperCase().replaceAll(/[\s-]/g, '')}`)
