// An id or a hash, whole, with a button that copies it.
import { CopyButton } from './copy-button.view.tsx'

export function Exact({ value, what }: { value: string; what: string }) {
  return (
    <span class="hash">
      {value} <CopyButton text={value} what={what} />
    </span>
  )
}
