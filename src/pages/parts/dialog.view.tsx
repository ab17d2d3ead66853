// Dialogs in front of the page, used by every page: a question, a form, or something that is shown once.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/send-request.ts'
import { Button } from './button.view.tsx'
import { useUniqueId } from './field-frame.view.tsx'
import { Form, type FormProps } from './form.view.tsx'
import { Icon } from './icon.view.tsx'
import { close } from './icons.ts'

type Props = {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** True if only its own buttons close it, because it shows something once or a request is under way. */
  isLocked?: boolean
}

/** A dialog in the middle of the window. */
export const Dialog = ({ children, ...props }: Props) => (
  <Modal {...props}>
    {(title) => (
      <div class="stack">
        {title}
        {children}
      </div>
    )}
  </Modal>
)

type DrawerProps = Omit<Props, 'isLocked'> & {
  head: ComponentChildren
  /** What it is about, which may change while it is open. */
  about?: string
}

/** About something on the page, at its side, as high as the window: beside the page where there is room, or in front of it. @param head beside its button to close it */
export const Drawer = ({ children, head, ...given }: DrawerProps) => (
  <Modal {...given} class="drawer">
    {(heading) => (
      <>
        <div class="bar row no-print" data-gap="2">
          <div class="only-read">{heading}</div>
          {head}
          <form method="dialog" class="to-end">
            <button class="button quiet sign" aria-label="Close">
              <Icon of={close} />
            </button>
          </form>
        </div>
        <div class="drawer-body">{children}</div>
      </>
    )}
  </Modal>
)

/** What can be done with what a drawer is about. It stays in sight. */
export const DrawerFoot = ({ children }: { children: ComponentChildren }) => (
  <div class="bar row no-print" data-gap="2">
    {children}
  </div>
)

type ModalProps = Omit<Props, 'children'> & {
  class?: 'drawer'
  about?: string
  /** Returns the content. @param title the heading that names the dialog */
  children: (title: ComponentChildren) => ComponentChildren
}

/** The width from which a drawer leaves the page in sight, and usable. Paper is narrower, and changes no drawer. */
const BESIDE = 'print, (width >= 80rem)'

/** The link of the row that is open, which may not be the one that opened the drawer. */
const focusOpenRow = (): void => document.querySelector<HTMLElement>('[data-row][aria-current] a')?.focus()

/** A dialog that is open while it is rendered. The browser restores the focus; in front of the page it keeps it, and closes on Escape. */
function Modal({ title, onClose, children, isLocked = false, class: named, about }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null)
  const isLeaving = useRef(false)
  const titleId = useUniqueId()
  useLayoutEffect(() => {
    const dialog = element.current
    const beside = matchMedia(BESIDE)
    const show = (): void => {
      const isBeside = named !== undefined && beside.matches
      if (dialog?.open === true && dialog.matches(':modal') !== isBeside) return
      dialog?.close()
      if (isBeside) dialog?.show()
      else dialog?.showModal()
    }
    show()
    beside.addEventListener('change', show)
    const onKey = ({ key }: KeyboardEvent): void => {
      // What is open over it closes first, and a modal dialog by itself.
      if (key === 'Escape' && document.querySelector(':modal, :popover-open, .filter-panel') === null) dialog?.close()
    }
    addEventListener('keydown', onKey)
    return () => {
      beside.removeEventListener('change', show)
      removeEventListener('keydown', onKey)
      // Closing returns the focus to the page. A caller that removes the dialog gets no `onClose`.
      isLeaving.current = true
      dialog?.close()
    }
  }, [])
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.scrollTo(0, 0)
    if (dialog?.contains(document.activeElement) === false) dialog.querySelector('button')?.focus()
  }, [about])
  return (
    <dialog
      ref={element}
      class={named}
      aria-labelledby={titleId}
      onClose={() => {
        // A drawer that changed its form is open again.
        if (isLeaving.current || element.current?.open === true) return
        if (named !== undefined) focusOpenRow()
        onClose()
      }}
      onCancel={(event) => {
        if (isLocked) event.preventDefault()
      }}
      onKeyDown={(event) => {
        // Chromium lets a page prevent one `cancel`, and closes at the next one.
        if (isLocked && event.key === 'Escape') event.preventDefault()
      }}
    >
      {children(<h2 id={titleId}>{title}</h2>)}
    </dialog>
  )
}

/** What a long dialog ends with: it stays in sight. */
export const DialogFoot = ({ children }: { children: ComponentChildren }) => (
  <div class="row dialog-foot">{children}</div>
)

type DialogFormProps = Omit<FormProps, 'onCancel'> & { title: string; onClose: () => void }

/** A form in a dialog. Its opener removes it after success. It cannot be closed while a request is being sent. */
export function DialogForm({ title, onClose, ask, ...form }: DialogFormProps) {
  const [isAsking, setAsking] = useState(false)
  const askLocked = async (): Promise<Problem | null> => {
    setAsking(true)
    const problem = await ask()
    setAsking(false)
    return problem
  }
  const cancel = (): void => {
    if (!isAsking) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose} isLocked={isAsking}>
      <Form {...form} ask={askLocked} onCancel={cancel} />
    </Dialog>
  )
}

type ShownOnceProps = {
  title: string
  /** The label of the button that closes the dialog. */
  button: string
  onDone: () => void
  children: ComponentChildren
  /** A link beside the button. */
  link?: ComponentChildren
}

/** A dialog with something that is shown only once, such as a secret. Only its button closes it. */
export const ShownOnce = ({ title, button, onDone, children, link }: ShownOnceProps) => (
  <Dialog title={title} isLocked onClose={onDone}>
    {children}
    <p class="row">
      <Button look="first" onClick={onDone}>
        {button}
      </Button>
      {link}
    </p>
  </Dialog>
)

type DialogButtonProps = {
  label: ComponentChildren
  look?: 'first' | 'danger'
  /** Returns the dialog. @param close removes it */
  children: (close: () => void) => ComponentChildren
}

export function DialogButton({ label, look, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p>
        <Button look={look} onClick={() => setOpen(true)}>
          {label}
        </Button>
      </p>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}
