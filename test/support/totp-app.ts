// An authenticator app: the codes of a secret, computed by itself (RFC 6238).
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** @param secret in base32, as the service shows it @param at milliseconds */
export function totpAt(secret: string, at: number): string {
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(new Uint8Array(counter.buffer)).digest()
  const start = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(start) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0')
}
