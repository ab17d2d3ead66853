// A line for a terminal, to copy.
import { CopyButton } from './copy-button.view.tsx'

export function Command({ line, what = 'the command' }: { line: string; what?: string }) {
  return (
    <div class="command">
      <pre tabIndex={0}>
        <code>{line}</code>
      </pre>
      <CopyButton text={line} what={what} />
    </div>
  )
}
