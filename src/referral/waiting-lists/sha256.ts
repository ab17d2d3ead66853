// The name of a published file: its SHA-256, by the runtime's own implementation.
import { bytesToHex } from '@noble/hashes/utils.js'

export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
