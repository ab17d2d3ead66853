// The checks of a signed record, each with its result. Apart from its sheet, which public pages show as well.
import type { ComponentChildren } from 'preact'
import { drawn, type Tone } from './drawn.ts'
import { Badge } from './badge.view.tsx'

type ChecksProps = { summary: ComponentChildren; isOpen: boolean; children?: ComponentChildren }

/** What was checked of a record, in its foot. */
export const SheetChecks = ({ summary, isOpen, children }: ChecksProps) => (
  <details data-whole open={isOpen}>
    <summary>{summary}</summary>
    {children}
  </details>
)

export const CheckList = drawn('ul', 'plain stack-s')

const RESULTS: Readonly<Record<Tone, string>> = { good: 'pass', warn: 'note', bad: 'fail' }

export const Check = ({ name, tone, children }: { name: string; tone: Tone; children: ComponentChildren }) => (
  <li class="row" data-gap="2" data-align="baseline" data-single>
    <Badge tone={tone}>{RESULTS[tone]}</Badge>
    <span>
      <b>{name}</b> {children}
    </span>
  </li>
)
