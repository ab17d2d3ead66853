// The organisations of a person: each leads to this page of that organisation.
import type { Session } from '../api/session.ts'

export const OrganisationLinks = ({ session: { user, organisation } }: { session: Session }) => (
  <ul class="menu">
    {user.organisations.map(({ id, name }) => (
      <li key={id}>
        <a href={`${location.pathname}?org=${id}`} {...(id === organisation?.id && { 'aria-current': 'true' })}>
          {name}
        </a>
      </li>
    ))}
  </ul>
)
