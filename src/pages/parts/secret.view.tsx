// A code that is shown once.
import { CopyButton } from './copy-button.view.tsx'

/** The whole code, to copy by its button or by hand. */
export const Secret = ({ text, noun, onCopied }: { text: string; noun: string; onCopied: () => void }) => (
  <div class="notice row secret">
    <code tabIndex={0} onCopy={onCopied}>
      {text}
    </code>
    <CopyButton text={text} what="" label={`Copy ${noun}`} look="first" onCopied={onCopied} />
  </div>
)
