// Choosing a role, with what each may do.
import type { Role } from '../../../accounts/access/roles.policy.ts'
import { ROLE_WORDS } from '../../text/roles.ts'

type Given = { roles: readonly Role[]; chosen: Role | null; onChosen: (role: Role) => void }

export const RoleChoice = ({ roles, chosen, onChosen }: Given) => (
  <fieldset class="stack">
    <legend>Role</legend>
    {roles.map((role) => (
      <label key={role} class="choice">
        <input type="radio" name="role" required checked={chosen === role} onChange={() => onChosen(role)} />
        <span>
          <strong>{role}</strong>
          <br />
          <span class="soft small">{ROLE_WORDS[role]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
