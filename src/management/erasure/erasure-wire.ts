// Erasures in their form on the wire.
import type { ErasureState } from '../../organisation/erasure/erasure-state.store.ts'
import type { OperatorErasure, OrganisationErasure, PersonErasure } from './erasure.schema.ts'
import { recordUrl } from './erasure.service.ts'
import type { SeenErasure } from './operator-erasures.service.ts'

type Shown = { id: string; requestedAt: number; dueAt: number; state: ErasureState | 'cancelled' }

export const presentPersonErasure = ({ id, requestedAt, dueAt, state }: Shown): PersonErasure => ({
  id,
  object: 'erasure',
  created_at: new Date(requestedAt).toISOString(),
  status: state,
  due_at: new Date(dueAt).toISOString(),
})

export const presentOrganisationErasure = (erasure: Shown, origin: string): OrganisationErasure => ({
  ...presentPersonErasure(erasure),
  record_url: recordUrl(origin, erasure.id),
})

export const presentOperatorErasure = (erasure: SeenErasure): OperatorErasure => ({
  ...presentPersonErasure(erasure),
  subject: erasure.subject,
})
