// Node 24 has the runtime's methods of bytes behind a flag, and there `toHex` of a part of a buffer gives the digits of its beginning.
import { Buffer } from 'node:buffer'

// oxlint-disable-next-line no-extend-native -- in the place of the one that is wrong
Uint8Array.prototype.toHex = function toHex(this: Uint8Array): string {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('hex')
}
