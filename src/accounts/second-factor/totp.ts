// Codes of an authenticator app: HMAC-SHA-1, six digits, 30 seconds, the only kind that all apps can show.
// https://www.rfc-editor.org/rfc/rfc6238
import { createHmac, timingSafeEqual } from 'node:crypto'

/** As long as the hash, which RFC 4226 recommends. */
export const SECRET_BYTES = 20

const STEP_MS = 30_000
const DIGITS = 6
/** RFC 6238 allows a step of delay. Phones run ahead as well. */
const ACCEPTED_STEPS = [-1, 0, 1]

/** @see https://www.rfc-editor.org/rfc/rfc4226#section-5.3 */
export function hotp(secret: Uint8Array, counter: number): string {
  const message = new DataView(new ArrayBuffer(8))
  message.setBigUint64(0, BigInt(counter))
  const mac = createHmac('sha1', secret).update(message).digest()
  const number = mac.readUInt32BE(mac.readUInt8(19) & 15) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * Returns the step whose code this is: the one of `nowMs`, before or after it. Null if none. The caller accepts each step once.
 * SECURITY: compares with all three, so that its duration says nothing.
 */
export function stepOf(secret: Uint8Array, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const steps = ACCEPTED_STEPS.map((distance) => Math.floor(nowMs / STEP_MS) + distance)
  const encoder = new TextEncoder()
  const matches = steps.filter((step) => timingSafeEqual(encoder.encode(hotp(secret, step)), encoder.encode(code)))
  return matches.at(-1) ?? null
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes without padding. @see https://www.rfc-editor.org/rfc/rfc4648#section-6 */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('')
}

/** Returns the address that apps read from a QR code. It contains the secret: never log it. */
export function otpauthUrl(of: { issuer: string; account: string; secret: Uint8Array }): string {
  const issuer = encodeURIComponent(of.issuer)
  const label = `${issuer}:${encodeURIComponent(of.account)}`
  return `otpauth://totp/${label}?secret=${base32(of.secret)}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=30`
}
