// Replaces `toHex` of Node 24 (--js-base-64), which returns the wrong digits for a view that begins later than its buffer.
import { Buffer } from 'node:buffer'

// oxlint-disable-next-line no-extend-native -- the built-in one is wrong
Uint8Array.prototype.toHex = function toHex(this: Uint8Array): string {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('hex')
}
