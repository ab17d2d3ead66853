// Shows the notice that the organisation will be erased, on every page of the dashboard and to each member.
import { render } from 'preact'
import type { OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { Moment } from '../../parts/times.view.tsx'
import { hasPermission, inOrganisation, session } from '../session.ts'
import { Notice } from '../../parts/page-blocks.view.tsx'

export type PendingErasure = Pick<OrganisationErasure, 'id' | 'status' | 'due_at'>

/** True if the erasure can still be cancelled. An immediate one is scheduled for a time in the past, so it cannot. */
export const canCancel = ({ status, due_at: dueAt }: PendingErasure): boolean =>
  status === 'scheduled' && Date.parse(dueAt) > Date.now()

/** Shows the notice right before the island. The island is still empty at that moment, so nothing moves. */
export function showErasureNotice(closing: PendingErasure | null = session().organisation?.erasure ?? null): void {
  const { organisation } = session()
  const place = document.querySelector('#closing') ?? document.createElement('div')
  if (closing === null || organisation === null) {
    render(null, place)
    place.remove()
    return
  }
  place.id = 'closing'
  document.querySelector('#island')?.before(place)
  render(<ErasureNotice name={organisation.name} closing={closing} />, place)
}

function ErasureNotice({ name, closing }: { name: string; closing: PendingErasure }) {
  const address = inOrganisation('/app/settings#erasure')
  const what = <a href={address}>See what goes and what stays</a>
  const isOpen = canCancel(closing)
  return (
    <Notice
      tone="bad"
      label={`The organisation ${isOpen ? 'will be' : 'is being'} erased`}
      title={
        <>
          <bdi>{name}</bdi>{' '}
          {isOpen ? (
            <>
              will be erased <Moment at={closing.due_at} />
            </>
          ) : (
            'is being erased'
          )}
          .
        </>
      }
    >
      {!isOpen && <p>It cannot be cancelled any more. {what}.</p>}
      {isOpen && (
        <p>
          Until then its keys are refused and nothing can be changed.{' '}
          {hasPermission('organisation:erase') ? (
            <a href={address}>See or cancel the erasure</a>
          ) : (
            <>An owner can cancel it until then. {what}</>
          )}
          .
        </p>
      )}
    </Notice>
  )
}
