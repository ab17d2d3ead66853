// What the pages of an organisation are for somebody who is in none, or not in the one that the address names.
import type { Session } from '../api/session.ts'
import { OrganisationLinks } from './organisation-links.view.tsx'

export function NoOrganisation({ session }: { session: Session }) {
  if (session.user.organisations.length > 0) {
    return (
      <div class="notice warn stack">
        <p>You are not a member of the organisation that this address names</p>
        <p>You may have left it, it may be erased, or the address is not whole. Open this page for one of yours:</p>
        <OrganisationLinks session={session} />
      </div>
    )
  }
  return (
    <div class="notice stack">
      <p>You are in no organisation yet</p>
      <p>Found one, or ask somebody to invite you to theirs and open the link of the invitation.</p>
      <p>
        <a class="button first" href="/app/organisation">
          Found an organisation
        </a>
      </p>
    </div>
  )
}
