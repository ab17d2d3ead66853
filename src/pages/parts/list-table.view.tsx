// The notice for an empty list.
import type { ComponentChildren } from 'preact'

type EmptyProps = { title: string; children: ComponentChildren; action?: ComponentChildren }

/** The notice for an empty list: what it will contain, and one thing to do. */
export const EmptyNotice = ({ title, children, action }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    <p class="soft">{children}</p>
    {action}
  </div>
)
