// A foldable section. It renders its content when first opened, so that a page of many folds is drawn fast.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Props = {
  summary: ComponentChildren
  children: () => ComponentChildren
  id?: string
  /** A card of its own, a line at the foot of one, or one of several of a name, of which one is open. */
  look?: 'card' | 'foot'
  name?: string
  isOpen?: boolean
  /** True if paper shows it, opened or not: its content is there from the start. */
  isOnPaper?: boolean
}

const LOOKS = { card: 'card', foot: 'foot-line' } as const

export function Foldable({ summary, children, id, look, name, isOpen = false, isOnPaper = false }: Props) {
  const [wasOpened, setOpened] = useState(isOpen || isOnPaper)
  return (
    <details
      id={id}
      class={look && LOOKS[look]}
      name={name}
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

/** Rows of which each opens. */
export const Folds = ({ children }: { children: ComponentChildren }) => <div class="folds">{children}</div>
