// The runtime's own SHA-256. It is synchronous, as a turn of the organisation's object must be, and many times faster there
// than one in JavaScript.
import { createHash } from 'node:crypto'
import type { Sha256 } from './merkle-hash.ts'

export const nativeSha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())
