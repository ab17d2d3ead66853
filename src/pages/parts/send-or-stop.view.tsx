// The button of a form whose answer takes its time.
import type { ComponentChildren } from 'preact'

type SendOrStopProps = { isSending: boolean; onStop: () => void; children: ComponentChildren }

/** Submits its form, and stops what it sent. One button, so that it keeps the focus meanwhile. */
export const SendOrStop = ({ isSending, onStop, children }: SendOrStopProps) => (
  <button
    type={isSending ? 'button' : 'submit'}
    class={isSending ? 'button' : 'button first'}
    aria-keyshortcuts="Control+Enter"
    onClick={(event) => {
      if (!isSending) return
      event.preventDefault()
      onStop()
    }}
  >
    {children}
  </button>
)
