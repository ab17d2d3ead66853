// Giving a member another role.
import { useState } from 'preact/hooks'
import type { Role } from '../../../accounts/access/roles.policy.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { asRole } from '../../text/roles.ts'
import { callIn } from '../call-in.ts'
import type { Member } from './member.ts'
import { RoleChoice } from './role-choice.view.tsx'
import { rolesFor } from './roles-for.ts'

type Given = { session: Session; member: Member; onClose: () => void; onDone: (what: string) => void }

export function ChangeRole({ session, member, onClose, onDone }: Given) {
  const [role, setRole] = useState<Role | null>(null)
  const isSelf = member.id === session.user.id
  const change = async (): Promise<Problem | null> => {
    const answer = await callIn<Member>(session, 'PATCH', `/api/members/${member.id}`, { body: { role } })
    if (answer.outcome === 'refused') return answer.problem
    // What the page shows depends on the role of who looks at it.
    if (isSelf) location.reload()
    onDone(`${member.name} is ${asRole(answer.body.role)} now.`)
    return null
  }
  return (
    <DialogForm
      title={isSelf ? 'Change your own role' : `Change the role of ${member.name}`}
      button="Change the role"
      isDanger={isSelf}
      ask={change}
      onClose={onClose}
    >
      <p>
        {isSelf
          ? 'You give up being an owner: only another owner can make you one again. The last owner stays.'
          : `${member.name} is ${asRole(member.role)}. Another role holds from the next request on.`}
      </p>
      <RoleChoice roles={rolesFor(session, member)} chosen={role} onChosen={setRole} />
    </DialogForm>
  )
}
