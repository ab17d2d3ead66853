// What is made when it is first opened: a page of many of these is there at once.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Given = {
  summary: ComponentChildren
  /** Of what is inside, in its place. */
  children: () => ComponentChildren
  id?: string
  class?: string
  isOpen?: boolean
}

export function Folded({ summary, children, id, class: className, isOpen = false }: Given) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details
      id={id}
      class={className}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true)
      }}
    >
      <summary>{summary}</summary>
      {wasOpened && children()}
    </details>
  )
}
