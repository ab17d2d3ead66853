// A question in front of the page: the browser keeps the focus in it and closes it by Escape; the focus goes back to where it was.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useUniqueId } from './field.view.tsx'

type Given = {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** It can be left by its own buttons only: what it shows is shown once. */
  isHeld?: boolean
  /** At the side, as high as the window: what belongs to the page behind it. */
  isDrawer?: boolean
}

/** Is there while it is open. */
export function Dialog({ title, onClose, children, isHeld = false, isDrawer = false }: Given) {
  const element = useRef<HTMLDialogElement>(null)
  const isLeaving = useRef(false)
  const titleId = useUniqueId()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      // The page around it takes no focus while it is open. Whoever takes it away need not hear that it is closed.
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
