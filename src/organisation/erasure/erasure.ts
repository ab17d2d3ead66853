// Defines an erasure of an organisation or a person, its states and their changes, and the steps of an organisation's erasure.
// Pure.
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'

export type ErasureState = 'scheduled' | 'running' | 'completed' | 'cancelled'

/** The states from which an erasure may begin, be completed or be cancelled. An open erasure is scheduled or running. */
export const FROM = {
  begin: ['scheduled', 'running'],
  complete: ['running'],
  cancel: ['scheduled'],
} as const satisfies Record<string, readonly ErasureState[]>
export const OPEN_ERASURE_STATES = FROM.begin

/** Times in milliseconds. */
type RequestMembers = {
  readonly id: ErasureId
  readonly requestedBy: PersonId
  readonly requestedAt: number
  readonly dueAt: number
}

/** The organisation's object is only found with its jurisdiction. */
export type OrganisationErasureRequest = RequestMembers & {
  readonly subject: OrganisationId
  readonly jurisdiction: Jurisdiction
}

export type PersonErasureRequest = RequestMembers & { readonly subject: PersonId; readonly jurisdiction: null }

/** The signed record as JSON; null until an organisation's erasure is completed. A repeated erasure still has it. */
type WithSignedRecord = { readonly record: string | null }

export type CompletedErasure = (OrganisationErasureRequest | PersonErasureRequest) & WithSignedRecord

export type PersonErasure = PersonErasureRequest & WithSignedRecord & { readonly state: ErasureState }

export type Erasure = (OrganisationErasureRequest & WithSignedRecord & { readonly state: ErasureState }) | PersonErasure

/** An erasure in the organisation's object, whose state is the one that counts. A cancelled erasure has no row. */
export type ErasureProgress = OrganisationErasureRequest &
  WithSignedRecord & {
    readonly state: Exclude<ErasureState, 'cancelled'>
    /** The next step; null before the first and after the last. */
    readonly step: string | null
    /** True if the database accepts no more rows. */
    readonly isSealed: boolean
  }

/** The steps of an organisation's erasure, in this order. A person is erased in one step. */
export const ERASURE_STEPS = [
  'close',
  'settle',
  'publish',
  'seal',
  'data_keys',
  'sealed_objects',
  'details',
  'tables',
  'registrations',
  'record',
  'register',
] as const

export type ErasureStep = (typeof ERASURE_STEPS)[number]

/** `isImmediate`: it is due now. */
export type ErasureOrder = { request: OrganisationErasureRequest; isImmediate: boolean }

/** Schedules an erasure. Returns null if nothing changes: the first request counts, and its due time only moves earlier. */
export function schedule(
  before: ErasureProgress | null,
  { request, isImmediate }: ErasureOrder,
  now: number,
): ErasureProgress | null {
  const dueAt = isImmediate ? now : request.dueAt
  if (before === null) return { ...request, dueAt, state: 'scheduled', step: null, isSealed: false, record: null }
  const isBroughtForward = before.state === 'scheduled' && isImmediate && before.dueAt > now
  return isBroughtForward ? { ...before, dueAt } : null
}

export const mayCancel = ({ state, dueAt }: ErasureProgress, now: number): boolean =>
  state === 'scheduled' && dueAt > now

/** Begins an erasure that is due; returns null if none is. */
export const beginIfDue = (erasure: ErasureProgress | null, now: number): ErasureProgress | null =>
  erasure?.state === 'scheduled' && erasure.dueAt <= now ? begin(erasure, erasure, null) : null

/**
 * Repeats an erasure that was completed before a database was restored. An erasure that is running continues.
 * @param record the record that was signed then
 */
export function repeat(
  before: ErasureProgress | null,
  request: OrganisationErasureRequest,
  record: string | null,
): ErasureProgress | null {
  const isSame = before?.id === request.id
  const signed = record ?? (isSame ? before.record : null)
  if (before?.state !== 'running') return begin(before, request, signed)
  return isSame && signed !== null ? { ...before, record: signed } : null
}

/** Begins at the first step, whatever was done before. A sealed database stays sealed. */
const begin = (
  before: ErasureProgress | null,
  request: OrganisationErasureRequest,
  record: string | null,
): ErasureProgress => ({
  ...requestOf(request),
  state: 'running',
  step: null,
  isSealed: before?.isSealed ?? false,
  record,
})

export function requestOf(given: OrganisationErasureRequest): OrganisationErasureRequest {
  const { id, subject, jurisdiction, requestedBy, requestedAt, dueAt } = given
  return { id, subject, jurisdiction, requestedBy, requestedAt, dueAt }
}

/** The columns of a request, which all erasure tables have. */
export const ERASURE_COLUMNS = {
  subject: 'subject',
  jurisdiction: 'jurisdiction',
  requestedBy: 'requested_by',
  requestedAt: 'requested_at',
  dueAt: 'due_at',
} as const
