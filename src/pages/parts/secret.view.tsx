// A code that is shown once.
import { CopyButton } from './copy-button.view.tsx'

type SecretProps = { text: string; noun: string; onCopied: () => void }

/** The whole code, to copy by its button or by hand. */
export const Secret = ({ text, noun, onCopied }: SecretProps) => (
  <div class="notice row secret">
    <code tabIndex={0} onCopy={onCopied}>
      {text}
    </code>
    <CopyButton text={text} what="" label={`Copy ${noun}`} look="first" onCopied={onCopied} />
  </div>
)
