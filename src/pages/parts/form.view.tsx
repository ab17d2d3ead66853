// Forms that ask the service for one thing, once at a time. What was typed stays where it is refused.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Button } from './button.view.tsx'
import { Dialog } from './dialog.view.tsx'
import { Refusal } from './notices.view.tsx'

export type FaultOf = (path: string) => string | null

/** Returns the service's complaint about a member, or null. */
export const faultsIn =
  (problem: Problem | null): FaultOf =>
  (path) =>
    problem?.fields.find((field) => field.path === path)?.rule ?? null

export type FormGiven = {
  /** The words of the button that sends it. */
  button: string
  isDanger?: boolean
  /** True if it can be sent as it is. */
  isReady?: boolean
  /** Null where it was done. */
  ask: () => Promise<Problem | null>
  onCancel?: () => void
  /** Given what is wrong with a field, where they ask. */
  children?: ComponentChildren | ((faultOf: FaultOf) => ComponentChildren)
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

  return (
    <form class="stack" onSubmit={submitting(() => void send())}>
      {typeof children === 'function' ? children(faultsIn(problem)) : children}
      {problem !== null && <Refusal problem={problem} />}
      <p class="row">
        <button type="submit" class={`button ${isDanger ? 'danger' : 'first'}`} aria-disabled={isAsking || !isReady}>
          {button}
        </button>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </p>
    </form>
  )
}

/** The page asks by itself: the browser sends no form. */
export const submitting =
  (act: () => void) =>
  (event: Event): void => {
    event.preventDefault()
    act()
  }

type DialogFormGiven = Omit<FormGiven, 'onCancel'> & { title: string; onClose: () => void }

/** A form in a dialog. Who opened it removes it once it is done; nobody leaves it before the answer is there. */
export function DialogForm({ title, onClose, ask, ...form }: DialogFormGiven) {
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

let unsavedParts = 0

/** True if something on the page would be lost. */
export const isAnythingLost = (): boolean => unsavedParts > 0

/** The browser asks, in its own words, before somebody leaves a page with something unsaved on it. */
export function useLeaving(isLost: boolean): void {
  useLayoutEffect(() => {
    if (!isLost) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    unsavedParts += 1
    return () => {
      removeEventListener('beforeunload', ask)
      unsavedParts -= 1
    }
  }, [isLost])
}
