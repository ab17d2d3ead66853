// The organisations of a person: each leads to this page of that organisation.
import type { Session } from '../api/session.ts'

export const OrganisationLinks = ({ session: { user, organisation } }: { session: Session }) => (
  <ul>
    {user.organisations.map(({ id, name }) => (
      <li key={id}>
        {id === organisation?.id ? (
          <strong aria-current="true">{name}</strong>
        ) : (
          <a href={`${location.pathname}?org=${id}`}>{name}</a>
        )}
      </li>
    ))}
  </ul>
)
