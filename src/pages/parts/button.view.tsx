// Buttons. A button with `aria-disabled` keeps the focus and says that it waits.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

type ButtonGiven = {
  onClick: () => void
  look?: 'first' | 'danger'
  isDisabled?: boolean
  children: ComponentChildren
}

/** @param look `first`: the main act of the page; `danger`: it cannot be undone */
export const Button = ({ onClick, look, isDisabled, children }: ButtonGiven) => (
  <button
    type="button"
    class={look === undefined ? 'button' : `button ${look}`}
    aria-disabled={isDisabled}
    onClick={onClick}
  >
    {children}
  </button>
)

/** A button that sends a request itself: one at a time, however often it is pressed. */
export function ActButton({ act, children }: { act: () => Promise<void>; children: ComponentChildren }) {
  const acting = useRef(false)
  const [isActing, setActing] = useState(false)
  const press = async (): Promise<void> => {
    if (acting.current) return
    acting.current = true
    setActing(true)
    await act()
    acting.current = false
    setActing(false)
  }
  return (
    <Button isDisabled={isActing} onClick={() => void press()}>
      {children}
    </Button>
  )
}
