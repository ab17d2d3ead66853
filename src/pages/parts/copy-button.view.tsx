// Puts a text on the clipboard and says so, to eyes and to screen readers.
import { useLayoutEffect, useState } from 'preact/hooks'

type State = 'ready' | 'copied' | 'failed'

const WORDS: Readonly<Record<State, string>> = { ready: 'Copy', copied: 'Copied', failed: 'Select it to copy' }
const SHOWN_MS = 2_000

/** @param what names the text for who cannot see what stands beside the button */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<State>('ready')
  useLayoutEffect(() => {
    if (state === 'ready') return undefined
    const timer = setTimeout(() => setState('ready'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  return (
    <button type="button" class="copy" onClick={copy}>
      <span aria-live="polite">{WORDS[state]}</span>
      <span class="only-read"> {what}</span>
    </button>
  )
}
