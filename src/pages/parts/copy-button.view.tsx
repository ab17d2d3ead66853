// The button that copies a text and says so, also to screen readers. Also a text in a box, and an id or a hash, with this button.
import { useLayoutEffect, useState } from 'preact/hooks'

type State = 'ready' | 'copied' | 'failed'

const WORDS: Readonly<Record<Exclude<State, 'ready'>, string>> = { copied: 'Copied', failed: 'Select it to copy' }
const SHOWN_MS = 2_000

type ButtonProps = {
  /** Null while it is on its way. */
  text: string | null
  /** Names the text for people who cannot see what is beside the button. */
  what: string
  label?: string
  /** `first` where copying is the act of the page, empty where it is one of several. */
  look?: 'copy' | 'first' | ''
  onCopied?: () => void
}

export function CopyButton({ text, what, label = 'Copy', look = 'copy', onCopied }: ButtonProps) {
  const [state, setState] = useState<State>('ready')
  useLayoutEffect(() => {
    if (state === 'ready') return undefined
    const timer = setTimeout(() => setState('ready'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async (): Promise<void> => {
    if (text === null) return
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
      onCopied?.()
    } catch {
      setState('failed')
    }
  }
  return (
    <button
      type="button"
      class={`button ${look}`.trimEnd()}
      aria-disabled={text === null ? true : undefined}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{state === 'ready' ? label : WORDS[state]}</span>
      <span class="only-read"> {what}</span>
    </button>
  )
}

type TextProps = {
  line: string
  /** Names the text for screen readers. */
  what?: string
}

/** A text in a box with a copy button: a command line, a link, JSON. */
export const CopyableText = ({ line, what = 'the command' }: TextProps) => (
  <div class="code command wraps">
    <pre tabIndex={0}>
      <code>{line}</code>
    </pre>
    <CopyButton text={line} what={what} />
  </div>
)

export const CopyableValue = ({ value, what }: { value: string; what: string }) => (
  <span class="hash">
    {value} <CopyButton text={value} what={what} />
  </span>
)
