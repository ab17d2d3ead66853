// Places things in a row, a stack or beside each other, and says how loud a text is. The distances are tokens, so the compiler
// refuses any other. A page has no classes of its own: if these and the other parts cannot draw something, it needs a new part.
import { h, type ComponentChildren } from 'preact'

/** A distance on the scale of style/tokens.css. */
export type Space = 1 | 2 | 3 | 5

/** One meaning each: it holds; a person must act; refused or failing. */
export type Tone = 'good' | 'warn' | 'bad'

/** Joins the classes that apply. */
export const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

type Placed = {
  /** Named for screen readers. */
  label?: string
  role?: 'group' | 'status' | 'alert'
  id?: string
  /** True if it is only for the screen. */
  isOffPaper?: boolean
  children?: ComponentChildren
}

const placedAt = ({ label, role, id }: Placed) => ({ 'aria-label': label, role, id })

/** The distances of a stack. 5 is that of a page's parts, and less on a phone. */
const STACKS = { 2: 'stack-s', 4: 'stack', 5: 'stack-m', 8: 'stack-l' } as const

type StackProps = Placed & {
  as?: 'div' | 'section' | 'article' | 'header' | 'ul' | 'ol' | 'li' | 'form' | 'p'
  onSubmit?: (event: Event) => void
  gap?: keyof typeof STACKS
  /** On a surface of its own. */
  isCard?: boolean
}

export const Stack = ({ as = 'div', onSubmit, gap = 4, isCard, isOffPaper, children, ...placed }: StackProps) =>
  h(
    as,
    {
      ...placedAt(placed),
      onSubmit,
      class: classes(isCard && 'card', STACKS[gap], (as === 'ul' || as === 'ol') && 'plain', isOffPaper && 'no-print'),
    },
    children,
  )

type RowProps = Placed & {
  as?: 'div' | 'p' | 'span' | 'ul' | 'header' | 'nav'
  gap?: Space
  /** Where a lower thing stands beside a higher one. */
  align?: 'start' | 'end' | 'baseline'
  /** True if the first and the last are at the edges. */
  isApart?: boolean
  /** True if it never takes a second line. */
  isOneLine?: boolean
  /** True if it takes a line of its own in the row that it is in. */
  isWhole?: boolean
  tone?: 'soft'
  size?: 'small'
}

/** What has no room goes into a further line. */
export const Row = (given: RowProps) => {
  const { as = 'div', gap, align, isApart, isOneLine, isWhole, tone, size, isOffPaper, children, ...placed } = given
  return h(
    as,
    {
      ...placedAt(placed),
      class: classes('row', isApart && 'between', tone, size, isOffPaper && 'no-print'),
      'data-gap': gap,
      'data-align': align,
      'data-one-line': isOneLine,
      'data-whole': isWhole,
    },
    children,
  )
}

/** @param least the width of a column in rem, below which fewer stand beside each other */
type ColumnsProps = { least?: 9 | 13 | 17; children: ComponentChildren }

/** As many columns of equal width as there is room for. */
export const Columns = ({ least, children }: ColumnsProps) => (
  <div class="columns" data-least={least}>
    {children}
  </div>
)

/** A page of two halves: the first and the third one below the other, the second beside them. Where there is no room, in their order. */
export const Halves = ({ children }: { children: ComponentChildren }) => <div class="two-halves">{children}</div>

/** Two of equal weight, side by side where there is room. */
export const Pair = ({ children }: { children: ComponentChildren }) => <div class="pair">{children}</div>

/** @param look `even`: the side is nearly as wide; `divided`: a line is between them */
type MainAndSideProps = { look?: 'even' | 'divided'; children: ComponentChildren }

/** The subject of a page, and beside it, where there is room, what applies to the subject. */
export const MainAndSide = ({ look, children }: MainAndSideProps) => (
  <div class="main-and-side" data-look={look}>
    {children}
  </div>
)

/** A list to choose from, and beside it, where there is room, the open one. */
export const ListAndOpen = ({ children }: { children: ComponentChildren }) => (
  <div class="list-and-open">{children}</div>
)

/** Lists in as many columns of text as there is room for. */
export const TextColumns = ({ children }: { children: ComponentChildren }) => (
  <div class="text-columns narrow">{children}</div>
)

/** Lines that are read, and forms of a few fields: no wider than reading takes. */
export const Narrow = ({ children }: { children: ComponentChildren }) => <div class="slim">{children}</div>

type TextProps = Placed & {
  as?: 'span' | 'p' | 'b' | 'small' | 'div' | 'h2' | 'h3'
  tone?: 'soft' | 'fault'
  size?: 'small'
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

export const Text = (given: TextProps) => {
  const {
    as = 'span',
    tone,
    size,
    isNumber,
    isOneLine,
    isAsWritten,
    isAtEnd,
    isWideOnly,
    isOffPaper,
    title,
    children,
    ...placed
  } = given
  return h(
    as,
    {
      ...placedAt(placed),
      title,
      class: classes(
        tone,
        size,
        isNumber && 'number',
        isOneLine && 'nowrap',
        isAsWritten && 'lines',
        isAtEnd && 'to-end',
        isWideOnly && 'wide-only',
        isOffPaper && 'no-print',
      ),
    },
    children,
  )
}

type ShortTextProps = Omit<TextProps, 'tone' | 'size'>

/** A text that is less than what is beside it. */
export const Soft = (given: ShortTextProps) => <Text {...given} tone="soft" />

/** A remark about what is beside it. */
export const Note = (given: ShortTextProps) => <Text {...given} tone="soft" size="small" />

type OnlyReadProps = Placed & { as?: 'span' | 'p' | 'h2' | 'div' }

/** A text that screen readers read and nobody sees. */
export const OnlyRead = ({ as = 'span', children, ...placed }: OnlyReadProps) =>
  h(as, { ...placedAt(placed), class: 'only-read' }, children)

/** A text that screen readers leave out, because another says it. */
export const OnlySeen = ({ children }: { children: ComponentChildren }) => <span aria-hidden="true">{children}</span>

/** A hash, an id or a name of a file, which breaks where it must. */
export const Hash = ({ as = 'span', children }: { as?: 'span' | 'code'; children: ComponentChildren }) =>
  h(as, { class: 'hash' }, children)

type TitleProps = { as?: 'h2' | 'h3'; id?: string; children: ComponentChildren }

/** The name of what a card or a drawer is about. */
export const Title = ({ as = 'h2', id, children }: TitleProps) => h(as, { id, class: 'subject' }, children)
