// Buttons, the hook that runs an act only once at a time, and the submit handler of forms. A waiting button has `aria-disabled`
// instead of `disabled`, so that it keeps the focus.
import { h, type ComponentChildren, type TargetedMouseEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { attributesOf } from './drawn.ts'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'

type ButtonProps = {
  onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void
  look?: 'first' | 'danger' | 'quiet' | undefined
  /** True while it waits. It keeps the focus. */
  isDisabled?: boolean
  /** True if it cannot be pressed at all. */
  isOff?: boolean
  /** Its whole name, where its words alone do not say it. */
  label?: string
  describedBy?: string
  /** True if it takes the focus when it appears. */
  isFocused?: boolean
  children: ComponentChildren
}

const focus = (element: HTMLElement | null): void => element?.focus({ preventScroll: true })

/** A button. @param look `first`: the page's main act; `danger`: an act that cannot be undone; `quiet`: beside a louder one */
export const Button = ({ isFocused, ...given }: ButtonProps) =>
  h('button', { type: 'button', ...(isFocused === true && { ref: focus }), ...attributesOf('button', given) })

type SignButtonProps = {
  icon: IconPaths
  label: string
  /** The key that does the same. */
  keys?: string
  isFramed?: boolean
  isDisabled?: boolean
  onClick: () => void
}

/** A button with a sign alone. Its words are for screen readers. */
export const SignButton = ({ icon, keys, isFramed = false, ...given }: SignButtonProps) =>
  h(
    'button',
    {
      type: 'button',
      ...attributesOf(isFramed ? 'button sign' : 'button quiet sign', given),
      ...(keys !== undefined && { title: `${given.label} (${keys})`, 'aria-keyshortcuts': keys }),
    },
    <Icon of={icon} />,
  )

type LinkButtonProps = Pick<ButtonProps, 'onClick' | 'children'> & { size?: 'small'; isExpanded?: boolean }

/** A button that looks like a link, for an act in the middle of a text. */
export const LinkButton = (given: LinkButtonProps) => h('button', { type: 'button', ...attributesOf('as-link', given) })

/** Returns whether the act is running, and a function that starts it unless it is already running. */
export function useSingleRun(act: () => Promise<void>): [isActing: boolean, start: () => void] {
  const acting = useRef(false)
  const [isActing, setActing] = useState(false)
  const start = async (): Promise<void> => {
    if (acting.current) return
    acting.current = true
    setActing(true)
    await act()
    acting.current = false
    setActing(false)
  }
  return [isActing, () => void start()]
}

/** A button that runs an act. Only one runs at a time, however often the button is pressed. */
export function ActButton({
  act,
  ...given
}: Omit<ButtonProps, 'onClick' | 'isDisabled'> & { act: () => Promise<void> }) {
  const [isActing, start] = useSingleRun(act)
  return <Button {...given} isDisabled={isActing} onClick={start} />
}

type SubmitProps = { label: string; look?: 'first' | 'danger' | ''; isDisabled?: boolean }

export const Submit = ({ label, look = 'first', isDisabled }: SubmitProps) => (
  <button type="submit" class={`button ${look}`.trimEnd()} aria-disabled={isDisabled}>
    {label}
  </button>
)

/** Returns a submit handler that calls `act` and prevents the browser from sending the form itself. */
export const submitHandler =
  (act: () => void) =>
  (event: Event): void => {
    event.preventDefault()
    act()
  }
