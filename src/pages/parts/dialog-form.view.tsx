// A dialog that asks the service for one thing. Whoever asks takes it away once it is done.
import { Dialog } from './dialog.view.tsx'
import { Form, type FormGiven } from './form.view.tsx'

type Given = Omit<FormGiven, 'onCancel'> & { title: string; onClose: () => void }

export const DialogForm = ({ title, onClose, ...form }: Given) => (
  <Dialog title={title} onClose={onClose}>
    <Form {...form} onCancel={onClose} />
  </Dialog>
)
