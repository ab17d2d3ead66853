// The form of a new account: for who signs up, and for who was invited.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { passwordFault } from '../../accounts/sign-in/password-rules.policy.ts'
import type { Problem } from '../api/send-request.ts'
import { TextField } from '../parts/fields.view.tsx'
import { faultsIn, focusFault, Form } from '../parts/form.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'

export const NOBODY = { name: '', email: '', password: '' }
type Newcomer = typeof NOBODY

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const ADDRESS_FAULT = 'Give an address such as name@example.org.'

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
  const [isTried, setTried] = useState(false)
  const [refused, setRefused] = useState<Problem | null>(null)
  const faultOf = faultsIn(refused)
  const own = {
    name: given.name.trim() === '' ? 'Give your name.' : null,
    email: isInvited || ADDRESS.test(given.email) ? null : ADDRESS_FAULT,
    password: passwordFault(given.password, given),
  }
  const send = async (): Promise<Problem | null> => {
    setTried(true)
    const problem = Object.values(own).every((fault) => fault === null) ? await ask() : null
    setRefused(problem)
    focusFault()
    // A fault that its field shows needs no notice.
    return problem?.fields.some(({ path }) => path === 'name' || path === 'email') ? null : problem
  }
  return (
    <Form button={button} ask={send} isUnchecked>
      {children}
      <TextField
        label="Your name"
        fault={(isTried ? own.name : null) ?? faultOf('name')}
        hint="Members of the organisation see it."
        autocomplete="name"
        value={given.name}
        onValue={put('name')}
      />
      {!isInvited && (
        <TextField
          label="E-mail address"
          inputMode="email"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          most={254}
          fault={(isTried ? own.email : null) ?? (faultOf('email') && ADDRESS_FAULT)}
          hint="We mail you a link. Your account is made when you confirm with it."
          value={given.email}
          onValue={put('email')}
        />
      )}
      <NewPassword label="Password" value={given.password} whose={given} isMarked={isTried} onValue={put('password')} />
    </Form>
  )
}
