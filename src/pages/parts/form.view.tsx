// Forms that send one request at a time. A refused form keeps what was typed.
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
  /** The label of the button that sends it. */
  button: string
  isDanger?: boolean
  /** True if the form can be sent as it is. */
  isReady?: boolean
  /** Sends the request. Returns null if it succeeded. */
  ask: () => Promise<Problem | null>
  onCancel?: () => void
  /** A function gets the faults of the fields. */
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

/** Calls `act` and keeps the browser from sending the form itself. */
export const submitting =
  (act: () => void) =>
  (event: Event): void => {
    event.preventDefault()
    act()
  }

type DialogFormGiven = Omit<FormGiven, 'onCancel'> & { title: string; onClose: () => void }

/** A form in a dialog. Its opener removes it after success. It cannot be closed while a request is under way. */
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

/** True if the page has something unsaved. */
export const isAnythingLost = (): boolean => unsavedParts > 0

/** Has the browser ask, in its own words, before a person leaves a page with something unsaved. */
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
