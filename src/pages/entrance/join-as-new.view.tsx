// Somebody who was invited and has no account gets one by joining.
import { useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Form } from '../parts/form.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { TextField } from '../parts/text-field.view.tsx'
import { inWords } from '../text/in-words.ts'

type Given = { accept: (newcomer: { name: string; password: string }) => Promise<Problem | null> }

export function JoinAsNew({ accept }: Given) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const join = async (): Promise<Problem | null> => {
    const problem = await accept({ name, password })
    return problem === null ? null : inWords(problem, WORDS)
  }
  return (
    <Form button="Make an account and join" ask={join}>
      <p>The account has the address that was invited.</p>
      <TextField
        label="Your name"
        hint="Members of the organisation see it."
        autocomplete="name"
        value={name}
        onValue={setName}
      />
      <NewPassword label="Password" value={password} onValue={setPassword} whose={{ name, email: '' }} />
    </Form>
  )
}

const WORDS = { conflict: 'The invited address has an account already. Choose “I have an account” above, and sign in.' }
