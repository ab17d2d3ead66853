// A form that sends one request at a time and shows a refusal. A refused form keeps what was typed.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Button, Submit, submitting, useSingle } from './button.view.tsx'
import { Refusal } from './notices.view.tsx'

export type FaultOf = (path: string) => string | null

/** Returns a function that gives the service's complaint about a member, or null. */
export const faultsIn =
  (problem: Problem | null): FaultOf =>
  (path) =>
    problem?.fields.find((field) => field.path === path)?.rule ?? null

export type FormGiven = {
  /** The label of the submit button. */
  button: string
  isDanger?: boolean
  /** True if the form can be sent as it is. */
  isReady?: boolean
  /** Sends the request. Returns null on success. */
  ask: () => Promise<Problem | null>
  onCancel?: () => void
  /** The fields. A function gets the complaints about them. */
  children?: ComponentChildren | ((faultOf: FaultOf) => ComponentChildren)
}

export function Form({ button, isDanger = false, isReady = true, ask, onCancel, children }: FormGiven) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, send] = useSingle(async () => {
    setProblem(null)
    setProblem(await ask())
  })
  return (
    <form class="stack" onSubmit={submitting(() => isReady && send())}>
      {typeof children === 'function' ? children(faultsIn(problem)) : children}
      {problem !== null && <Refusal problem={problem} />}
      <p class="row">
        <Submit label={button} look={isDanger ? 'danger' : 'first'} isDisabled={isAsking || !isReady} />
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </p>
    </form>
  )
}

let unsavedParts = 0

/** True if some form of the page is unsaved. */
export const isAnythingLost = (): boolean => unsavedParts > 0

/** Makes the browser ask before a person leaves the page, while something is unsaved. */
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
