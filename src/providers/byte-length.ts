// How long a text is on the wire.
import { Buffer } from 'node:buffer'

/** In UTF-8. The runtime counts a long text many times faster than a loop here, and writes none of it down. */
// oxlint-disable-next-line typescript/no-unsafe-return, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- Cloudflare's types leave Buffer untyped
export const byteLength = (text: string): number => Buffer.byteLength(text)
