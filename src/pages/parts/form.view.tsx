// A form that sends one request at a time, shows a refusal and keeps what was typed; and the warning before unsaved input is lost.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Problem } from '../api/send-request.ts'
import { Button, Submit, submitHandler, useSingleRun } from './button.view.tsx'
import { RefusalNotice } from './answer-notices.view.tsx'

export type FaultOf = (path: string) => string | null

/** Returns a function that finds the fault of a member in the service's answer: the rule that it broke, or null. */
export const faultsIn =
  (problem: Problem | null): FaultOf =>
  (path) =>
    problem?.fields.find((field) => field.path === path)?.rule ?? null

export type FormProps = {
  /** The label of the submit button. */
  button: string
  isDanger?: boolean
  /** '' if another button of the view is its main act. */
  look?: 'first' | ''
  /** True if the form can be sent as it is. */
  isReady?: boolean
  /** True if its fields say what is wrong with them, and not the browser. */
  isUnchecked?: boolean
  /** Sends the request. Returns null on success. */
  ask: () => Promise<Problem | null>
  onCancel?: (() => void) | undefined
  /** Said while the request is under way, if that takes long. */
  waiting?: string
  /** The fields, or a function that draws them with the faults that the service found. */
  children?: ComponentChildren | ((faultOf: FaultOf) => ComponentChildren)
}

/** Moves the focus to the first field with a fault, which is drawn by then. */
export const focusFault = (): number =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus())

export function Form(given: FormProps) {
  const { button, isDanger = false, look = 'first', isReady = true, ask, onCancel, waiting, children } = given
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, send] = useSingleRun(async () => {
    setProblem(null)
    setProblem(await ask())
  })
  return (
    <form class="stack" noValidate={given.isUnchecked} onSubmit={submitHandler(() => isReady && send())}>
      {typeof children === 'function' ? children(faultsIn(problem)) : children}
      {waiting !== undefined && <p role="status">{isAsking && waiting}</p>}
      {problem !== null && <RefusalNotice problem={problem} />}
      <p class="row">
        <Submit label={button} look={isDanger ? 'danger' : look} isDisabled={isAsking || !isReady} />
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </p>
    </form>
  )
}

let unsavedParts = 0

/** True if some form of the page is unsaved. */
export const hasUnsavedInput = (): boolean => unsavedParts > 0

/** Makes the browser ask before a person leaves the page, while something is unsaved. */
export function useUnsavedWarning(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    unsavedParts += 1
    return () => {
      removeEventListener('beforeunload', ask)
      unsavedParts -= 1
    }
  }, [isUnsaved])
}
