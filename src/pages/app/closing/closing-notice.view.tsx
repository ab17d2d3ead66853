// Stands on every page of the dashboard while the organisation is to be erased.
import { render } from 'preact'
import { inOrganisation, type Session } from '../../api/session.ts'
import type { OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { askClosing, canCancel } from './closing.ts'

const ID = 'closing'

/** Before all that the page shows. Says nothing where it cannot be told: the page itself says what is refused. */
export async function showClosing(session: Session): Promise<void> {
  const closing = await askClosing(session)
  const place = document.getElementById(ID) ?? document.createElement('div')
  if (closing.state !== 'known') {
    render(null, place)
    place.remove()
    return
  }
  place.id = ID
  document.querySelector('.with-side')?.before(place)
  render(<ClosingNotice session={session} erasure={closing.erasure} />, place)
}

function ClosingNotice({ session, erasure }: { session: Session; erasure: OrganisationErasure }) {
  const { due_at: dueAt } = erasure
  return (
    <section class="banner" aria-label="Erasure">
      <p>
        <strong>{session.organisation?.name}</strong>{' '}
        {canCancel(erasure) ? (
          <>
            will be erased <Moment at={dueAt} />. Until then its keys are refused, nothing can be changed, and it can be
            cancelled: <a href={inOrganisation(session, '/app/settings#erasure')}>see or cancel the erasure</a>.
          </>
        ) : (
          <>
            is being erased. It cannot be cancelled any more:{' '}
            <a href={inOrganisation(session, '/app/settings#erasure')}>see where its record will be</a>.
          </>
        )}
      </p>
    </section>
  )
}
