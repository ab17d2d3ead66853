// A word or two about the state of something.
import { h, type ComponentChildren } from 'preact'
import { attributesOf, drawn, type Tone } from './drawn.ts'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'

type BadgeProps = {
  tone?: Tone | 'soft' | 'changed' | undefined
  icon?: IconPaths
  /** True for a short id, with its sign behind it. */
  isCode?: boolean
  children: ComponentChildren
}

export const Badge = ({ tone, icon, isCode, children }: BadgeProps) =>
  h(
    'span',
    attributesOf(icon !== undefined && isCode === true ? 'badge brief' : 'badge', { tone }),
    icon !== undefined && <Icon of={icon} />,
    children,
  )

export const BadgeLink = drawn<{ href: string; tone: Tone }>('a', 'badge')
