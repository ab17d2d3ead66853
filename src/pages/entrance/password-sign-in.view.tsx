// Signing in by address and password.
import { useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { signIn } from '../api/sign-in.ts'
import { Form } from '../parts/form.view.tsx'
import { PasswordField } from '../parts/password-field.view.tsx'
import { TextField } from '../parts/text-field.view.tsx'

type Given = {
  button: string
  /** What follows; null, or why it did not. */
  onSignedIn: () => Promise<Problem | null>
}

export function PasswordSignIn({ button, onSignedIn }: Given) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const ask = async (): Promise<Problem | null> => (await signIn({ email, password })) ?? onSignedIn()
  return (
    <Form button={button} ask={ask}>
      <TextField
        label="E-mail address"
        type="email"
        autocomplete="username"
        most={254}
        value={email}
        onValue={setEmail}
      />
      <PasswordField label="Password" autocomplete="current-password" value={password} onValue={setPassword} />
    </Form>
  )
}
