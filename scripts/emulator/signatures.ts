// Signatures over thoughts, as providers put them on what a model thought: opaque to the caller, and told from any other
// value when they come back. The emulator keeps nothing of them; each says where it stood and proves what it signs.

import { createHash } from 'node:crypto'

function proof(place: string, signed: string): string {
  return createHash('sha256').update(`countersign emulator\n${place}\n${signed}`).digest('hex').slice(0, 32)
}

export function sign(place: string, signed: string): string {
  return Buffer.from(`${place} ${proof(place, signed)}`).toString('base64')
}

/** The place of a signature that was made here for just this, or null. */
export function signedPlace(signature: string, signed: string): string | null {
  const [place = '', given] = Buffer.from(signature, 'base64').toString('utf8').split(' ')
  return sign(place, signed) === signature && given === proof(place, signed) ? place : null
}
