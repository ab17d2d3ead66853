// An erasure of an organisation or of a person: its shape, its states, and what takes it from one state to the next. Pure.
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'

export type ErasureState = 'scheduled' | 'running' | 'completed' | 'cancelled'

/** The states from which an erasure may begin, be completed and be cancelled. One that is open is scheduled or runs. */
export const FROM = {
  begin: ['scheduled', 'running'],
  complete: ['running'],
  cancel: ['scheduled'],
} as const satisfies Record<string, readonly ErasureState[]>
export const OPEN_STATES = FROM.begin

/** Times in milliseconds. */
type RequestMembers = {
  readonly id: ErasureId
  readonly requestedBy: PersonId
  readonly requestedAt: number
  readonly dueAt: number
}

/** The jurisdiction is that of the organisation's object, which is not found without it. */
export type OrganisationErasureRequest = RequestMembers & {
  readonly subject: OrganisationId
  readonly jurisdiction: Jurisdiction
}

export type PersonErasureRequest = RequestMembers & { readonly subject: PersonId; readonly jurisdiction: null }

/** The signed record as JSON, of an organisation whose erasure is completed, or is being done again. */
type Recorded = { readonly record: string | null }

/** An erasure as the operator's ledger has it. */
export type Erased = (OrganisationErasureRequest | PersonErasureRequest) & Recorded

export type PersonErasure = PersonErasureRequest & Recorded & { readonly state: ErasureState }

export type Erasure = (OrganisationErasureRequest & Recorded & { readonly state: ErasureState }) | PersonErasure

/** An erasure as the organisation's object has it: its state decides. A cancelled one has no row. */
export type OwnErasure = OrganisationErasureRequest &
  Recorded & {
    readonly state: Exclude<ErasureState, 'cancelled'>
    /** The next step; null before the first and after the last. */
    readonly step: string | null
    /** True once the database takes in nothing more. */
    readonly isSealed: boolean
  }

/** The steps of an organisation's erasure, in this order. A person is erased in one go. */
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

/** `isImmediate`: it is due at once. */
export type ErasureOrder = { request: OrganisationErasureRequest; isImmediate: boolean }

/** Returns null where nothing changes: the first request holds. It may be brought forward, and never put off. */
export function schedule(
  before: OwnErasure | null,
  { request, isImmediate }: ErasureOrder,
  now: number,
): OwnErasure | null {
  const dueAt = isImmediate ? now : request.dueAt
  if (before === null) return { ...request, dueAt, state: 'scheduled', step: null, isSealed: false, record: null }
  const isBroughtForward = before.state === 'scheduled' && isImmediate && before.dueAt > now
  return isBroughtForward ? { ...before, dueAt } : null
}

export const mayCancel = ({ state, dueAt }: OwnErasure, now: number): boolean => state === 'scheduled' && dueAt > now

/** Begins what is due; returns null where nothing is. */
export const beginIfDue = (erasure: OwnErasure | null, now: number): OwnErasure | null =>
  erasure?.state === 'scheduled' && erasure.dueAt <= now ? begin(erasure, erasure, null) : null

/**
 * Does again what was completed before a database was restored. One that runs goes on.
 * @param record the one that was signed then
 */
export function repeat(
  before: OwnErasure | null,
  request: OrganisationErasureRequest,
  record: string | null,
): OwnErasure | null {
  const isSame = before?.id === request.id
  const signed = record ?? (isSame ? before.record : null)
  if (before?.state !== 'running') return begin(before, request, signed)
  return isSame && signed !== null ? { ...before, record: signed } : null
}

/** Begins at the first step, whatever was done before. A sealed database stays sealed. */
const begin = (before: OwnErasure | null, request: OrganisationErasureRequest, record: string | null): OwnErasure => ({
  ...requestOf(request),
  state: 'running',
  step: null,
  isSealed: before?.isSealed ?? false,
  record,
})

export const requestOf = ({
  id,
  subject,
  jurisdiction,
  requestedBy,
  requestedAt,
  dueAt,
}: OrganisationErasureRequest): OrganisationErasureRequest => ({
  id,
  subject,
  jurisdiction,
  requestedBy,
  requestedAt,
  dueAt,
})

/** The columns of a request, which all tables of erasures have. */
export const ERASURE_COLUMNS = {
  subject: 'subject',
  jurisdiction: 'jurisdiction',
  requestedBy: 'requested_by',
  requestedAt: 'requested_at',
  dueAt: 'due_at',
} as const
