// A dialog that asks the service for one thing. Whoever asks takes it away once it is done; nobody leaves it before the answer is there.
import { useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Dialog } from './dialog.view.tsx'
import { Form, type FormGiven } from './form.view.tsx'

type Given = Omit<FormGiven, 'onCancel'> & { title: string; onClose: () => void }

export function DialogForm({ title, onClose, ask, ...form }: Given) {
  const [isAsking, setAsking] = useState(false)
  const askHeld = async (): Promise<Problem | null> => {
    setAsking(true)
    const problem = await ask()
    setAsking(false)
    return problem
  }
  const cancel = (): void => {
    if (!isAsking) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose} isHeld={isAsking}>
      <Form {...form} ask={askHeld} onCancel={cancel} />
    </Dialog>
  )
}
