// An id of an element that no other part of the page has: Preact's own `useId` counts anew in each island, and a page can have several.
import { useRef } from 'preact/hooks'

let made = 0

export function useUniqueId(): string {
  const id = useRef('')
  if (id.current === '') id.current = `part-${++made}`
  return id.current
}
