// A question in front of the page. The browser keeps the focus in it, closes it by Escape, and then restores the focus.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useUniqueId } from './field.view.tsx'

type Given = {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** True if only its own buttons close it, because it shows something once or a request is under way. */
  isHeld?: boolean
  /** True for a drawer at the side, as high as the window, about something on the page behind it. */
  isDrawer?: boolean
}

/** Render it while it is open. */
export function Dialog({ title, onClose, children, isHeld = false, isDrawer = false }: Given) {
  const element = useRef<HTMLDialogElement>(null)
  const isLeaving = useRef(false)
  const titleId = useUniqueId()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      // Closing lets the page take the focus again. A caller that removes the dialog gets no `onClose`.
      isLeaving.current = true
      dialog?.close()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isDrawer ? 'drawer' : undefined}
      aria-labelledby={titleId}
      onClose={() => {
        if (!isLeaving.current) onClose()
      }}
      onCancel={(event) => {
        if (isHeld) event.preventDefault()
      }}
      onKeyDown={(event) => {
        // Chromium lets a page prevent one `cancel`, and closes at the next.
        if (isHeld && event.key === 'Escape') event.preventDefault()
      }}
    >
      <div class="stack">
        <div class="row between">
          <h2 id={titleId}>{title}</h2>
          {isDrawer && (
            <form method="dialog">
              <button class="button">Close</button>
            </form>
          )}
        </div>
        {children}
      </div>
    </dialog>
  )
}
