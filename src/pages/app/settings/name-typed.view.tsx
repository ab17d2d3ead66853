// An act that cannot be taken back: what it does, and the organisation's name to type before it can be done.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'

type Given = {
  title: string
  /** The organisation's. */
  name: string
  /** What the button says. */
  verb: string
  /** Null: it is done, and the dialog is to go. */
  act: (name: string) => Promise<Problem | null>
  onClose: () => void
  children: ComponentChildren
}

export function NameTyped({ title, name, verb, act, onClose, children }: Given) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isActing, setActing] = useState(false)
  const isTyped = plain(typed) === plain(name)

  const submit = async (): Promise<void> => {
    if (!isTyped || isActing) return
    setActing(true)
    // As it is: nobody sees how many blanks are in a name.
    const found = await act(name)
    setActing(false)
    setProblem(found)
  }

  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Field
          label={
            <>
              Type the organisation’s name: <span class="hash">{name}</span>
            </>
          }
        >
          {(control) => (
            <input
              {...control}
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget: { value } }) => setTyped(value)}
            />
          )}
        </Field>
        {problem !== null && <ProblemNotice problem={problem} />}
        <p class="row">
          <button type="submit" class="button danger" aria-disabled={!isTyped || isActing}>
            {verb}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}

const plain = (name: string): string => name.normalize().replace(/\s+/gu, ' ').trim()
