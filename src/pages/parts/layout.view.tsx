// Places things in a row, a stack or beside each other, and says how loud a text is. The distances are tokens, so the compiler
// refuses any other. A page has no classes of its own: if these and the other parts cannot draw something, it needs a new part.
import { h, type ComponentChildren } from 'preact'

/** The distances of a stack, on the scale of style/tokens.css. */
const STACKS = { 2: 'stack-s', 4: 'stack' } as const

type StackProps = {
  gap?: keyof typeof STACKS
  /** On a surface of its own. */
  isCard?: boolean
  children: ComponentChildren
}

export const Stack = ({ gap = 4, isCard = false, children }: StackProps) => (
  <div class={isCard ? `card ${STACKS[gap]}` : STACKS[gap]}>{children}</div>
)

type RowProps = { as?: 'div' | 'p'; children: ComponentChildren }

/** What has no room goes into a further line. */
export const Row = ({ as = 'div', children }: RowProps) => h(as, { class: 'row' }, children)

/** The subject of a page, and beside it, where there is room, what applies to the subject. */
export const MainAndSide = ({ children }: { children: ComponentChildren }) => (
  <div class="main-and-side">{children}</div>
)

/** Lines that are read, and forms of a few fields: no wider than reading takes. */
export const Narrow = ({ children }: { children: ComponentChildren }) => <div class="slim">{children}</div>

type TextProps = { as?: 'span' | 'p'; tone?: 'soft'; size?: 'small'; children: ComponentChildren }

export const Text = ({ as = 'span', tone, size, children }: TextProps) =>
  h(as, { class: [tone, size].filter(Boolean).join(' ') }, children)

/** A text that screen readers read and nobody sees. */
export const OnlyRead = ({ children }: { children: ComponentChildren }) => <span class="only-read">{children}</span>
