// Forms that send one request at a time. A refused form keeps what was typed.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/call.ts'
import { Button, Submit, submitting, useSingle } from './button.view.tsx'
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
