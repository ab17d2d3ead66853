// A button that does something by itself, without a form: once at a time, however often it is pressed.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

type Given = { act: () => Promise<void>; children: ComponentChildren }

export function ActButton({ act, children }: Given) {
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
    <button type="button" class="button" aria-disabled={isActing} onClick={() => void press()}>
      {children}
    </button>
  )
}
