// A list of steps, each with its sign: a number, or a tick once it is done.
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.view.tsx'
import { check } from './icons.ts'

export const Steps = ({ children }: { children: ComponentChildren }) => <ol class="list steps">{children}</ol>

type StepProps = { title: ComponentChildren; number: number; isDone?: boolean; children: ComponentChildren }

export const Step = ({ title, number, isDone = false, children }: StepProps) => (
  <li class="sign-row row" data-align="start" data-single>
    <span class="initials" aria-hidden="true">
      {isDone ? <Icon of={check} /> : number}
    </span>
    <div class="stack-s">
      <h2 class="label">{title}</h2>
      {isDone && <span class="only-read">Done.</span>}
      {children}
    </div>
  </li>
)
