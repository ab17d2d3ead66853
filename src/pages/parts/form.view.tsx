// A form that asks the service for one thing, once at a time. What was typed stays where it is refused.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Refusal } from './refusal.view.tsx'

export type FormGiven = {
  /** What sending it does. */
  button: string
  isDanger?: boolean
  /** Whether it can be sent as it is. */
  isReady?: boolean
  /** Null where it was done. */
  ask: () => Promise<Problem | null>
  onCancel?: () => void
  /** Given what is wrong with a field, where they ask. */
  children?: ComponentChildren | ((faultOf: (path: string) => string | null) => ComponentChildren)
}

export function Form({ button, isDanger = false, isReady = true, ask, onCancel, children }: FormGiven) {
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

  const faultOf = (path: string): string | null => problem?.fields.find((field) => field.path === path)?.rule ?? null

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {typeof children === 'function' ? children(faultOf) : children}
      {problem !== null && <Refusal problem={problem} />}
      <p class="row">
        <button type="submit" class={`button ${isDanger ? 'danger' : 'first'}`} aria-disabled={isAsking || !isReady}>
          {button}
        </button>
        {onCancel !== undefined && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </p>
    </form>
  )
}
