// Signing in by address and password.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { Problem } from '../api/call.ts'
import { Form } from '../parts/form.view.tsx'
import { PasswordField } from '../parts/password-field.view.tsx'
import { TextField } from '../parts/text-field.view.tsx'
import { inWords } from '../text/in-words.ts'

type Given = {
  button: string
  /** What follows; null, or why it did not. */
  onSignedIn: () => Promise<Problem | null>
  children?: ComponentChildren
}

const WORDS = { invalid_credentials: 'The e-mail address and the password do not belong together.' }

export function PasswordSignIn({ button, onSignedIn, children }: Given) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = async (): Promise<Problem | null> => {
    const answer = await call('POST', '/api/auth/login', { body: { email, password } })
    return answer.outcome === 'answered' ? onSignedIn() : inWords(answer.problem, WORDS)
  }
  return (
    <Form button={button} ask={signIn}>
      <TextField
        label="E-mail address"
        type="email"
        autocomplete="username"
        most={254}
        value={email}
        onValue={setEmail}
      />
      <PasswordField label="Password" autocomplete="current-password" value={password} onValue={setPassword} />
      {children}
    </Form>
  )
}
