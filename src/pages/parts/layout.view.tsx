// Places things in a row, a stack or beside each other, and says how loud a text is. The distances are tokens, so the compiler
// refuses any other. A page has no classes of its own: if these and the other parts cannot draw something, it needs a new part.
import { h, type ComponentChildren } from 'preact'
import { attributesOf, drawn, type Placed } from './drawn.ts'

/** The distances of a stack. 5 is that of a page's parts, and less on a phone. */
const STACKS = { 2: 'stack-s', 4: 'stack', 5: 'stack-m', 8: 'stack-l' } as const

type StackProps = Placed & {
  as?: 'div' | 'section' | 'article' | 'header' | 'ul' | 'ol' | 'li' | 'form' | 'fieldset' | 'p'
  onSubmit?: (event: Event) => void
  gap?: keyof typeof STACKS
  /** On a surface of its own. */
  isCard?: boolean
}

export const Stack = ({ as = 'div', gap = 4, children, ...given }: StackProps) =>
  h(as, attributesOf(as === 'ul' || as === 'ol' ? `plain ${STACKS[gap]}` : STACKS[gap], given), children)

type RowProps = Placed & {
  as?: 'div' | 'p' | 'span' | 'ul' | 'header' | 'nav'
  gap?: 1 | 2 | 3 | 5
  /** Where a lower thing stands beside a higher one. */
  align?: 'start' | 'baseline'
  /** True if the first and the last are at the edges. */
  isApart?: boolean
  /** True if it never takes a second line. */
  isSingle?: boolean
  /** True if it takes a line of its own in the row that it is in. */
  isWhole?: boolean
  tone?: 'soft'
  size?: 'small'
}

/** What has no room goes into a further line. */
export const Row = drawn<RowProps>('div', 'row')

/** As many columns of equal width as there is room for. `least`: the width, in rem, below which fewer stand beside each other. */
export const Columns = drawn<{ least?: 9 | 13 | 17 }>('div', 'columns')

/** Two of equal weight, side by side where there is room. */
export const Pair = drawn('div', 'columns pair')

/** A page of two halves: the first and the third one below the other, the second beside them. Where there is no room, in their order. */
export const Halves = drawn('div', 'two-halves')

/** The subject of a page, and beside it, where there is room, what applies to the subject. */
export const MainAndSide = drawn('div', 'main-and-side')

/** A list of what can be opened, and beside it, where there is room, what is open. */
export const ListAndOpen = drawn('div', 'list-and-open')

/** Lists in as many columns of text as there is room for. */
export const TextColumns = drawn('div', 'text-columns')

/** Choices that are each as large as what they say. `isInTwos`: each takes half of the width. */
export const Choices = drawn<{ isInTwos?: boolean }>('div', 'columns choices')

/** One of them. */
export const Choice = drawn('label', 'choice')

/** Lines that are read, and forms of a few fields: no wider than reading takes. */
export const Narrow = drawn('div', 'slim')

type TextProps = Placed & {
  as?: 'span' | 'p' | 'b' | 'small' | 'div' | 'h2' | 'h3' | 'q'
  tone?: 'soft' | 'fault'
  /** `lead`: what a page says first. */
  size?: 'small' | 'lead'
  /** Digits of one width. */
  isNumber?: boolean
  isOneLine?: boolean
  /** True if it keeps its own line breaks. */
  isAsWritten?: boolean
  /** At the end of its row. */
  isAtEnd?: boolean
  /** True if a narrow window has no room for it. */
  isWideOnly?: boolean
  title?: string
}

export const Text = drawn<TextProps>('span', '')

/** A text that is less than what is beside it. */
export const Soft = drawn<TextProps>('span', 'soft')

/** A remark about what is beside it. */
export const Note = drawn<TextProps>('span', 'soft small')

/** A short text about what needs a person. */
export const Urgent = drawn('span', 'urgent')

export const OffPaper = drawn<{ as?: 'div' | 'details' }>('div', 'no-print')

export const OnPaper = drawn<{ as?: 'p' | 'footer' }>('p', 'only-print small')

/** A text that screen readers read and nobody sees. */
export const OnlyRead = drawn<Placed & { as?: 'span' | 'p' | 'h2' | 'div' }>('span', 'only-read')

/** Says what was done, also to screen readers, and takes no room before. */
export const Status = ({ children }: { children: ComponentChildren }) => (
  <p role="status" class={children === '' ? 'only-read' : undefined}>
    {children}
  </p>
)

/** A text that screen readers leave out, because another says it. */
export const OnlySeen = ({ children }: { children: ComponentChildren }) => <span aria-hidden="true">{children}</span>

/** A hash, an id or a name of a file, which breaks where it must. */
export const Hash = drawn<{ as?: 'span' | 'code'; title?: string }>('span', 'hash')

/** The name of what a card or a drawer is about. */
export const Title = drawn<{ as?: 'h2' | 'h3'; id?: string }>('h2', 'subject')
