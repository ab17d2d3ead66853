// A short message at the corner of the window about an act that is done and can be undone. Errors never go here: they stay in place.
import { useLayoutEffect } from 'preact/hooks'
import { showInFront } from './island.ts'

const SHOWN_MS = 8_000

/** Shows the message for eight seconds, or until the returned function removes it. @param undo what "Undo" does; absent: there is no such button */
export const showToast = (text: string, undo?: () => void): (() => void) =>
  showInFront((close) => <Toast text={text} {...(undo !== undefined && { undo })} onClose={close} />)

function Toast({ text, undo, onClose }: { text: string; undo?: () => void; onClose: () => void }) {
  useLayoutEffect(() => {
    const timer = setTimeout(onClose, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="toast row" role="status">
      <span>{text}</span>
      {undo !== undefined && (
        <button
          type="button"
          class="as-link"
          onClick={() => {
            onClose()
            undo()
          }}
        >
          Undo
        </button>
      )}
    </div>
  )
}
