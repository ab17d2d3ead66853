// Signs and verifies the record of an erasure, `erasure-1`: the service states that only hashes of an organisation remain. The
// record counts what a search found after the erasure, and has no person's id.
import { wholeNumberIn } from './number-text.ts'
import type { JsonObject } from '../../platform/json.ts'
import { isHash } from '../tree/verify-proof.ts'
import { signMembers } from './attestation-record.ts'
import { findNameFault, hasExactMembers } from './member-names.ts'
import { parseRfc3339 } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { findRecordFault, VERIFY_FAULTS, type PinnedTrust } from './verify-record.ts'

/** The deleted kinds of data, in alphabetical order. */
export const ERASED_CLASSES = [
  'data_keys',
  'details',
  'invitations',
  'keys',
  'members',
  'organisation',
  'people',
  'sealed_objects',
  'settings',
  'usage',
] as const

const REMAINING = ['data_keys', 'sealed_objects', 'details', 'keys', 'people'] as const

/** How many items a search found after the erasure. `people`: members and invitations of the organisation. */
export type RemainingCounts = Readonly<Record<(typeof REMAINING)[number], number>>

export type UnsignedErasureRecord = {
  readonly v: 'erasure-1'
  readonly erasure_id: string
  readonly org_id: string
  readonly requested_at: string
  readonly completed_at: string
  readonly removed: readonly string[]
  readonly remaining: RemainingCounts
  /** The platform may keep copies for recovery until this time. */
  readonly recovery_copies_until: string
  /** The organisation's own log, which remains. */
  readonly tree_size: number
  readonly root_hash: string
  readonly public_key: string
}

export type ErasureRecord = UnsignedErasureRecord & { readonly signature: string }

export const ERASURE_FAULTS = {
  ...VERIFY_FAULTS,
  unsupported_version: 'v is not erasure-1.',
  identifier_malformed: 'erasure_id or org_id is not an id of its kind.',
  time_malformed: 'A time in it is not RFC 3339 with an explicit offset.',
  times_out_of_order: 'It was completed before it was requested, or copies lapse before it was completed.',
  removed_malformed: 'removed is not the list of what an erasure removes.',
  remaining_malformed: 'remaining does not tell of each class how many there are.',
  something_remains: 'Something was left when it was signed.',
  tree_malformed: 'tree_size is not a whole number, or root_hash not 64 lower-case hexadecimal digits.',
} as const

export type ErasureFault = keyof typeof ERASURE_FAULTS

const MEMBERS = [
  'v',
  'erasure_id',
  'org_id',
  'requested_at',
  'completed_at',
  'removed',
  'remaining',
  'recovery_copies_until',
  'tree_size',
  'root_hash',
  'public_key',
  'signature',
]

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'
const ERASURE_ID = new RegExp(`^era_${UUID}$`)
const ORGANISATION_ID = new RegExp(`^org_${UUID}$`)

/**
 * Throws TypeError for a record that every verifier would reject, or that names another key.
 * @see docs/records.md#erasure-record
 */
export const signErasure = (record: UnsignedErasureRecord, key: SigningKey): Promise<ErasureRecord> =>
  signMembers(record, key, findFormFault)

/**
 * Returns null if the record is complete, states that nothing remains, and a key trusted at its time signed it.
 * @see docs/records.md#erasure-record
 */
export const findErasureFault = (record: unknown, trust: PinnedTrust): ErasureFault | null =>
  findRecordFault(record, trust, findFormFault, { time: 'completed_at' })

/** Returns the first fault before any cryptography, or null. */
function findFormFault(record: JsonObject): ErasureFault | null {
  const fault = findNameFault(record, MEMBERS)
  if (fault !== null) return fault
  if (record['v'] !== 'erasure-1') return 'unsupported_version'
  const isNamed = matches(record['erasure_id'], ERASURE_ID) && matches(record['org_id'], ORGANISATION_ID)
  if (!isNamed) return 'identifier_malformed'
  return (
    findOrderFault(record) ??
    findRemovedFault(record['removed']) ??
    findRemainingFault(record['remaining']) ??
    findTreeFault(record)
  )
}

function findOrderFault(record: JsonObject): ErasureFault | null {
  const requested = parseRfc3339(record['requested_at'])
  const completed = parseRfc3339(record['completed_at'])
  const lapsed = parseRfc3339(record['recovery_copies_until'])
  if (requested === null || completed === null || lapsed === null) return 'time_malformed'
  return requested <= completed && completed <= lapsed ? null : 'times_out_of_order'
}

function findRemovedFault(removed: unknown): ErasureFault | null {
  const isExpectedList =
    Array.isArray(removed) &&
    removed.length === ERASED_CLASSES.length &&
    ERASED_CLASSES.every((name, at) => removed[at] === name)
  return isExpectedList ? null : 'removed_malformed'
}

function findRemainingFault(remaining: unknown): ErasureFault | null {
  if (!hasExactMembers(remaining, REMAINING)) return 'remaining_malformed'
  const counts = REMAINING.map((name) => wholeNumberIn(remaining, name))
  if (counts.includes(null)) return 'remaining_malformed'
  return counts.every((count) => count === 0) ? null : 'something_remains'
}

function findTreeFault(record: JsonObject): ErasureFault | null {
  const isTree = wholeNumberIn(record, 'tree_size') !== null && isHash(record['root_hash'])
  return isTree ? null : 'tree_malformed'
}

const matches = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value)
