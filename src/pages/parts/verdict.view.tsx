// The verdict of a check as a sheet: what it is, and below it what it rests on. Also a finding, and a field for what is checked.
import { h, type ComponentChildren } from 'preact'
import { attributesOf, drawn, type Tone } from './drawn.ts'
import type { Control } from './field-frame.view.tsx'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'
import { Stack } from './layout.view.tsx'
import { Band, Seal } from './ornament.view.tsx'

type VerdictProps = {
  /** Undefined if it is not proven. */
  tone: Tone | undefined
  icon: IconPaths
  title: string
  /** What it means. */
  head: ComponentChildren
  /** False if nothing was checked. */
  foot: ComponentChildren
  children: ComponentChildren
}

/** It has band and seal only if it is good. */
export const VerdictSheet = ({ tone, icon, title, head, foot, children }: VerdictProps) => (
  <section class="card parts sheet">
    {tone === 'good' && <Band />}
    {h(
      'div',
      attributesOf('verdict-head row', { tone, isSingle: true }),
      tone === 'good' ? <Seal /> : <Icon of={icon} />,
      <Stack gap={2}>
        <h2 tabIndex={-1}>{title}</h2>
        {head}
      </Stack>,
    )}
    {children}
    {foot !== false && <div class="foot-line row">{foot}</div>}
  </section>
)

type FindingProps = { tone: Tone | undefined; icon: IconPaths; children: ComponentChildren }

export const Finding = ({ tone, icon, children }: FindingProps) =>
  h('li', attributesOf('sign-row row', { tone, isSingle: true }), <Icon of={icon} />, <div>{children}</div>)

type EvidenceAreaProps = Control & {
  rows: number
  /** True if it grows with its lines. */
  isShort: boolean
  value: string
  onInput: (event: { currentTarget: HTMLTextAreaElement }) => void
  onPaste: (event: ClipboardEvent) => void
}

/** A field for what a program wrote. */
export const EvidenceArea = drawn<EvidenceAreaProps>('textarea', 'code line')
