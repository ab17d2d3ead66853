// Stands on every page of the dashboard while the organisation is to be erased, for each of its members.
import { render } from 'preact'
import { may } from '../../../accounts/access/roles.policy.ts'
import { inOrganisation, type Membership, type Session } from '../../api/session.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { canCancel, type Closing } from './closing.ts'

/** Right before what the page shows, which is not there yet when this comes: nothing has to make room. */
export function showClosing(session: Session, closing: Closing | null = session.organisation?.erasure ?? null): void {
  const place = document.querySelector('#closing') ?? document.createElement('div')
  if (closing === null || session.organisation === null) {
    render(null, place)
    place.remove()
    return
  }
  place.id = 'closing'
  document.querySelector('#island')?.before(place)
  render(<ClosingNotice session={session} organisation={session.organisation} closing={closing} />, place)
}

type Given = { session: Session; organisation: Membership; closing: Closing }

function ClosingNotice({ session, organisation: { name, role }, closing }: Given) {
  const address = inOrganisation(session, '/app/settings#erasure')
  if (!canCancel(closing)) {
    return (
      <section class="notice bad" aria-label="The organisation is being erased">
        <p>
          <bdi>{name}</bdi> is being erased.
        </p>
        <p>
          It cannot be cancelled any more. <a href={address}>See what goes and what stays</a>.
        </p>
      </section>
    )
  }
  return (
    <section class="notice bad" aria-label="The organisation will be erased">
      <p>
        <bdi>{name}</bdi> will be erased <Moment at={closing.due_at} />.
      </p>
      <p>
        Until then its keys are refused and nothing can be changed.{' '}
        {may(role, 'organisation:erase') ? (
          <a href={address}>See or cancel the erasure</a>
        ) : (
          <>
            An owner can cancel it until then. <a href={address}>See what goes and what stays</a>
          </>
        )}
        .
      </p>
    </section>
  )
}
