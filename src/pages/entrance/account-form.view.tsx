// The form of a new account: for who signs up, and for who was invited.
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/send-request.ts'
import { TextField } from '../parts/fields.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'

export const NOBODY = { name: '', email: '', password: '' }
type Newcomer = typeof NOBODY

type Props = {
  button: string
  given: Newcomer
  onGiven: (given: Newcomer) => void
  /** True if the account has the address that was invited. */
  isInvited?: boolean
  ask: () => Promise<Problem | null>
  children?: ComponentChildren
}

export function AccountForm({ button, given, onGiven, isInvited = false, ask, children }: Props) {
  const put = (field: keyof Newcomer) => (value: string) => onGiven({ ...given, [field]: value })
  return (
    <Form button={button} ask={ask}>
      {(faultOf) => (
        <>
          {children}
          <TextField
            label="Your name"
            fault={faultOf('name')}
            hint="Members of the organisation see it."
            autocomplete="name"
            value={given.name}
            onValue={put('name')}
          />
          {!isInvited && (
            // As a field of type `email`, the browser's own bubble would hide the hint.
            <TextField
              label="E-mail address"
              inputMode="email"
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
              most={254}
              fault={faultOf('email')?.replace(
                'expected the format email',
                'Give an address such as name@example.org.',
              )}
              hint="We mail you a link. Your account is made when you confirm with it."
              value={given.email}
              onValue={put('email')}
            />
          )}
          <NewPassword label="Password" value={given.password} whose={given} onValue={put('password')} />
        </>
      )}
    </Form>
  )
}
