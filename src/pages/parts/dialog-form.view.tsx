// A dialog that asks the service for one thing, once at a time. What was typed stays where it is refused.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Dialog } from './dialog.view.tsx'
import { Refusal } from './refusal.view.tsx'

type Given = {
  title: string
  /** What sending it does. */
  button: string
  isDanger?: boolean
  /** Whether it can be sent as it is. */
  isReady?: boolean
  /** Null where it was done: whoever asks takes the dialog away then. */
  ask: () => Promise<Problem | null>
  onClose: () => void
  children: (faultOf: (path: string) => string | null) => ComponentChildren
}

export function DialogForm({ title, button, isDanger = false, isReady = true, ask, onClose, children }: Given) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, setAsking] = useState(false)
  const asking = useRef(false)

  const send = async (): Promise<void> => {
    if (asking.current || !isReady) return
    asking.current = true
    setAsking(true)
    setProblem(null)
    setProblem(await ask())
    asking.current = false
    setAsking(false)
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {children((path) => problem?.fields.find((field) => field.path === path)?.rule ?? null)}
        {problem !== null && <Refusal problem={problem} />}
        <p class="row">
          <button type="submit" class={`button ${isDanger ? 'danger' : 'first'}`} aria-disabled={isAsking || !isReady}>
            {button}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}
