// The record of a live reading, for the caller to keep beside the referral. It holds no letter: a salted HMAC of it binds
// the two, and the salt is drawn anew each time, so that two records of one letter cannot be told to belong together.
import { formatUuid, uuidV7Bytes } from '../platform/ids.ts'
import type { ReadingRecord, ReadResponse } from './read.schema.ts'

type Recorded = Pick<ReadResponse, 'action' | 'decision' | 'specialty' | 'ageGroup' | 'readers' | 'datasetVersion'>

/** `text` exactly as it was sent; `now` in milliseconds since the epoch. */
export async function createRecord(text: string, answer: Recorded, now: number): Promise<ReadingRecord> {
  const { action, decision, specialty, ageGroup, readers, datasetVersion } = answer
  const salt = crypto.getRandomValues(new Uint8Array(32))
  return {
    id: `rdg_${formatUuid(uuidV7Bytes(now))}`,
    question: { action, characters: Array.from(text).length, salt: salt.toHex(), textHmac: await hmac(salt, text) },
    readers,
    outcome: { decision, specialty, ageGroup },
    datasetVersion,
    letterStored: false,
    generatedAt: new Date(now).toISOString(),
  }
}

/** Lower-case hexadecimal. */
async function hmac(salt: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))).toHex()
}
