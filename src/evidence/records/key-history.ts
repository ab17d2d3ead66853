// The public history of signing keys, and its permitted changes: create, activate, retire, revoke. A key is published before it
// signs. Retired and revoked keys stay in the history, because old records name them.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { PublishedKeyHistory } from './attestation.schema.ts'
import { isPublicKey, keyIdOf } from './ed25519.ts'
import { readJsonObject } from './read-json-object.ts'

const TimeSchema = once(() => z.iso.datetime({ precision: 0 }))

const KeySchema = once(() =>
  z
    .strictObject({
      public_key: z.string().refine(isPublicKey),
      /** active: the key signs from valid_from on, until a later key takes over. */
      status: z.enum(['active', 'retired', 'revoked']),
      valid_from: TimeSchema(),
      valid_until: TimeSchema().nullable(),
      /** The time at which the revocation was stated. */
      revoked_at: TimeSchema().exactOptional(),
      /** Somebody else may have had the key from this time on. */
      suspected_since: TimeSchema().exactOptional(),
    })
    .refine(({ status, valid_until: until }) => (status === 'active') === (until === null))
    .refine(({ valid_from: from, valid_until: until }) => until === null || Date.parse(from) <= Date.parse(until))
    .refine(({ status, revoked_at: revoked, suspected_since: suspected }) =>
      revoked === undefined || suspected === undefined
        ? revoked === suspected
        : status === 'revoked' && Date.parse(suspected) <= Date.parse(revoked),
    ),
)

const KeyHistorySchema = once(() =>
  z.array(KeySchema()).refine((keys) => new Set(keys.map(({ public_key: key }) => key)).size === keys.length),
)

export type HistoricKey = Readonly<Infer<typeof KeySchema>>

/** Newest first. */
export type KeyHistory = readonly HistoricKey[]

/** Returns null for a text that is no history, or that two readers could understand differently. */
export function parseKeyHistory(text: string): KeyHistory | null {
  const read = readJsonObject(new TextEncoder().encode(`{"keys":${text}}`))
  if (!read.readable || Object.keys(read.object).length > 1) return null
  const parsed = KeyHistorySchema().safeParse(read.object['keys'])
  return parsed.success ? newestFirst(parsed.data) : null
}

export type PublishedKey = PublishedKeyHistory['keys'][number]

/** @see docs/rotate-signing-keys.md#keys */
export const toPublishedKey = ({ public_key, ...rest }: HistoricKey): PublishedKey => ({
  public_key,
  key_id: keyIdOf(public_key),
  algorithm: 'Ed25519',
  format: 'base64url-raw',
  ...rest,
})

/** Returns the newest active key that is valid at `now` (milliseconds since the epoch). */
export const signingKeyAt = (history: KeyHistory, now: number): HistoricKey | null =>
  newestFirst(history).find((key) => key.status === 'active' && Date.parse(key.valid_from) <= now) ?? null

export const CHANGE_REFUSALS = {
  key_exists: 'This key is in the history already.',
  unknown_key: 'There is no such key. `list` shows those there are.',
  not_active: 'This key is retired or revoked, and never signs again.',
  signs_already: 'This key signs already.',
  revoked_already: 'This key is revoked already. Only a suspicion from an earlier time on (--since) changes that.',
  suspected_later: 'The time since when a key is suspected cannot be in the future.',
  no_other_key: 'No other key could sign then. Create one and activate it first.',
} as const

export type ChangeRefusal = keyof typeof CHANGE_REFUSALS

export type HistoryChange =
  | { done: true; history: KeyHistory; key: HistoricKey }
  | { done: false; refusal: ChangeRefusal }

/** Adds a key to the history. It will sign from `signsFrom` on, in milliseconds since the epoch. */
export function createKey(history: KeyHistory, publicKey: string, signsFrom: number): HistoryChange {
  if (history.some((key) => key.public_key === publicKey)) return refuse('key_exists')
  const key: HistoricKey = {
    public_key: publicKey,
    status: 'active',
    valid_from: formatTime(signsFrom),
    valid_until: null,
  }
  return { done: true, history: newestFirst([key, ...history]), key }
}

export function activateKey(history: KeyHistory, keyId: string, now: number): HistoryChange {
  const key = findKey(history, keyId)
  if (key === undefined) return refuse('unknown_key')
  if (key.status !== 'active') return refuse('not_active')
  if (Date.parse(key.valid_from) <= now) return refuse('signs_already')
  return replaceKey(history, { ...key, valid_from: formatTime(now) })
}

/** A retired key may still sign for this long, until the next deployment removes it. */
export const RETIREMENT_MS = 3_600_000

/** Retires a key: its records stay valid, and it stops signing with the next deployment. */
export function retireKey(history: KeyHistory, keyId: string, now: number): HistoryChange {
  const key = findKey(history, keyId)
  if (key === undefined) return refuse('unknown_key')
  if (key.status !== 'active') return refuse('not_active')
  const lastSigned = formatTime(Math.max(now, Date.parse(key.valid_from)) + RETIREMENT_MS)
  return endKey(history, { ...key, status: 'retired', valid_until: lastSigned }, now)
}

/**
 * Revokes a key: its signature alone then proves nothing. A second revocation may state an earlier time, never a later
 * one.
 *
 * @param suspectedSince the time from which somebody else may have had the key, in milliseconds since the epoch; null
 * for its whole life
 */
export function revokeKey(
  history: KeyHistory,
  keyId: string,
  now: number,
  suspectedSince: number | null = null,
): HistoryChange {
  const key = findKey(history, keyId)
  if (key === undefined) return refuse('unknown_key')
  if (suspectedSince !== null && suspectedSince > now) return refuse('suspected_later')
  const since = Math.min(suspectedSince ?? Date.parse(key.valid_from), now)
  if (key.status === 'revoked') {
    const isEarlier = key.suspected_since !== undefined && since < Date.parse(key.suspected_since)
    return isEarlier ? replaceKey(history, { ...key, suspected_since: formatTime(since) }) : refuse('revoked_already')
  }
  const revocation = { revoked_at: formatTime(now), suspected_since: formatTime(since) }
  return endKey(history, { ...key, status: 'revoked', ...revocation }, now)
}

function endKey(history: KeyHistory, key: HistoricKey, now: number): HistoryChange {
  const ended = { ...key, valid_until: key.valid_until ?? formatTime(Math.max(now, Date.parse(key.valid_from))) }
  const change = replaceKey(history, ended)
  const signedBefore = signingKeyAt(history, now) !== null
  const signsAfter = change.done && signingKeyAt(change.history, now) !== null
  // Without an active key the service could answer no call that needs a signature.
  return signedBefore && !signsAfter ? refuse('no_other_key') : change
}

function replaceKey(history: KeyHistory, key: HistoricKey): HistoryChange {
  const others = history.filter((other) => other.public_key !== key.public_key)
  return { done: true, history: newestFirst([key, ...others]), key }
}

const findKey = (history: KeyHistory, keyId: string): HistoricKey | undefined =>
  history.find((key) => keyIdOf(key.public_key) === keyId)

const refuse = (refusal: ChangeRefusal): HistoryChange => ({ done: false, refusal })

/** Sorts keys. The sort is stable: of two equal times, the key that changed last comes first. */
const newestFirst = (keys: readonly HistoricKey[]): KeyHistory =>
  keys.toSorted((first, second) => Date.parse(second.valid_from) - Date.parse(first.valid_from))

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
