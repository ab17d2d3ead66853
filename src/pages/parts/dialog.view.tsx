// A question in front of the page: the browser keeps the focus in it, closes it by Escape and puts the focus back.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

type Given = {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** It can be left by its own buttons only: what it shows is shown once. */
  isHeld?: boolean
}

/** Is there while it is open. */
export function Dialog({ title, onClose, children, isHeld = false }: Given) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      onCancel={(event) => {
        if (isHeld) event.preventDefault()
      }}
    >
      <div class="stack">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
