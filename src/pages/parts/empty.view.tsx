// A list that has nothing yet: what will be here, one thing to do, and the same as a line for a terminal.
import type { ComponentChildren } from 'preact'
import { Command } from './command.view.tsx'

type Given = { title: string; children: ComponentChildren; action?: ComponentChildren; line?: string }

export function Empty({ title, children, action, line }: Given) {
  return (
    <div class="empty stack">
      <h2>{title}</h2>
      <p class="soft">{children}</p>
      {action}
      {line !== undefined && <Command line={line} />}
    </div>
  )
}
