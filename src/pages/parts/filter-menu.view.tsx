// A button that opens a panel below it: choices or fields of a filter. It closes by Escape, by a press outside, and once the address
// of the page changes, since a choice is a link.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useUniqueId } from './field-frame.view.tsx'
import { Icon } from './icon.view.tsx'
import { chevron } from './icons.ts'

type Props = {
  /** The name of the panel. */
  label: string
  /** What the button says: the filter and its value. */
  content: ComponentChildren
  /** How the button looks; a usual one has a sign that it opens. */
  look?: 'button quiet sign'
  children: (close: () => void) => ComponentChildren
}

export function FilterMenu({ label, content, look, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useUniqueId()
  const close = (): void => setOpen(false)
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const onPress = ({ target }: Event): void => {
      if (target instanceof Node && place.current?.contains(target) === false) close()
    }
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return
      close()
      button.current?.focus()
    }
    addEventListener('pointerdown', onPress)
    addEventListener('focusin', onPress)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', onPress)
      removeEventListener('focusin', onPress)
      removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  return (
    <div class="filter" ref={place}>
      <button
        ref={button}
        type="button"
        class={look ?? 'button'}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{content}</span>
        {look === undefined && <Icon of={chevron} />}
      </button>
      {isOpen && (
        <div
          id={id}
          class="filter-panel stack-s"
          role="group"
          aria-label={label}
          onClick={({ target }) => {
            if (target instanceof Element && target.closest('a') !== null) {
              close()
              button.current?.focus()
            }
          }}
        >
          {children(close)}
        </div>
      )}
    </div>
  )
}
