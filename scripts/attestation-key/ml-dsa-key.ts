// The key that signs the public log's checkpoints by ML-DSA-44 beside the other: there is one or none, and what is public of it
// is a setting of its own.
import { randomBytes } from 'node:crypto'
import { decodeBase64 } from '../../src/evidence/checkpoint/base64.ts'
import { ML_DSA_SETTINGS, mlDsaPublicKey } from '../../src/public-log/log-config.ts'
import { formatVkey, noteKey } from '../../src/evidence/checkpoint/note-key.ts'
import type { KeyPlace, PublicSetting } from './key-place.ts'

export const ML_DSA_SETTING: PublicSetting = { purpose: 'log-ml-dsa-44', setting: ML_DSA_SETTINGS.key, empty: '' }

/** What was done, in words for the operator, or why it was not. */
type MlDsaChange = { done: true; said: string } | { done: false; why: string }

export function createMlDsaKey(place: KeyPlace, origin: string): MlDsaChange {
  if (place.written !== '') return { done: false, why: 'There is one already. Retire it first.' }
  const seed = new Uint8Array(randomBytes(32))
  const publicKey = mlDsaPublicKey(seed)
  const next = place.keepSeed(ML_DSA_SETTINGS.seed, seed, vkeyOf(origin, publicKey))
  place.write(publicKey)
  return { done: true, said: `${describeMlDsaKey(publicKey, origin)}\n${next}` }
}

/** It signs no more; what it signed stays good. */
export function retireMlDsaKey(place: KeyPlace): MlDsaChange {
  if (place.written === '') return { done: false, why: 'There is no such key.' }
  place.write('')
  return { done: true, said: `Delete the secret ${ML_DSA_SETTINGS.seed} too.\n${place.next}` }
}

/** `none` where there is none. */
export const describeMlDsaKey = (written: string, origin: string): string =>
  written === '' ? 'none' : `ML-DSA-44  signs beside the other key\n  ${vkeyOf(origin, written)}`

function vkeyOf(origin: string, publicKey: string): string {
  const bytes = decodeBase64(publicKey)
  return bytes === null ? `not a key: ${ML_DSA_SETTINGS.key}` : formatVkey(noteKey(origin, 'ml_dsa_44', bytes))
}
