// Somebody who was invited and has no account gets one by joining.
import { useState } from 'preact/hooks'
import { Form } from '../parts/form.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { TextField } from '../parts/text-field.view.tsx'

type Given = { accept: (newcomer: { name: string; password: string }) => Promise<null> }

export function JoinAsNew({ accept }: Given) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  return (
    <Form button="Make an account and join" ask={() => accept({ name, password })}>
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
