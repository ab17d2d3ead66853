// Gives a file to the browser to save, as if a link to it had been followed.
import type { ReceivedFile } from '../api/call.ts'

export function saveFile({ name, content }: ReceivedFile): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Once the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
