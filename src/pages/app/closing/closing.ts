// An erasure of the organisation that is asked for: who may know of it, and how it is asked after.
import { may } from '../../../accounts/access/roles.policy.ts'
import type { OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { call, type Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'

export type Closing =
  | { state: 'none' }
  | { state: 'known'; erasure: OrganisationErasure }
  | { state: 'refused'; problem: Problem }

/** Only owners are told; for everybody else there is nothing to know. */
export async function askClosing({ organisation }: Session, signal?: AbortSignal): Promise<Closing> {
  if (organisation === null || !may(organisation.role, 'organisation:erase')) return { state: 'none' }
  const answer = await call<OrganisationErasure>('GET', '/api/settings/erasure', {
    organisation: organisation.id,
    ...(signal !== undefined && { signal }),
  })
  if (answer.outcome === 'answered') return { state: 'known', erasure: answer.body }
  return answer.problem.code === 'not_found' ? { state: 'none' } : { state: 'refused', problem: answer.problem }
}

/** Whether it can still be cancelled. What is to be done at once is said to be scheduled for a time that has passed. */
export const canCancel = ({ status, due_at: dueAt }: OrganisationErasure): boolean =>
  status === 'scheduled' && Date.parse(dueAt) > Date.now()
