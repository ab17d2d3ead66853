// An erasure of the organisation that is asked for: what every member is told of it, and whether it can still be cancelled.
import type { OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'

export type Closing = Pick<OrganisationErasure, 'id' | 'status' | 'due_at'>

/** What is to be done at once is said to be scheduled for a time that has passed. */
export const canCancel = ({ status, due_at: dueAt }: Closing): boolean =>
  status === 'scheduled' && Date.parse(dueAt) > Date.now()
