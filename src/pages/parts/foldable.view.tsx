// A foldable section. It renders its content when first opened, so that a page of many folds is drawn fast.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Props = {
  summary: ComponentChildren
  /** Renders the content. */
  children: () => ComponentChildren
  id?: string
  class?: string
  isOpen?: boolean
}

export function Foldable({ summary, children, id, class: className, isOpen = false }: Props) {
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
