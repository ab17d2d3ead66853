// Parts that some pages have, and that the script of all pages is therefore without: a card with a head, a remark, a badge, a link that
// looks like a button, and the notice for an empty list.
import { h, type ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'
import { attributesOf, drawn, type Tone } from './drawn.ts'

type HeadedCardProps = {
  /** Its place in an address. */
  id?: string
  /** A sign before the heading. */
  icon?: IconPaths
  isBusy?: boolean
  title: ComponentChildren
  /** The id of the heading, where it names more than the card. */
  titleId?: string
  level?: 2 | 3
  /** True for what the page is about: its heading is larger. */
  isMain?: boolean
  /** A line below the heading. */
  note?: ComponentChildren
  /** Beside the heading. */
  act?: ComponentChildren
  /** True for a list, whose rows reach the edges of the card. */
  isList?: boolean
  children: ComponentChildren
}

/** A card whose heading has a line of its own, for a form, for facts or for a list. */
export function HeadedCard(given: HeadedCardProps) {
  const { id, icon, isBusy, title, titleId, level = 2, isMain, note, act, isList = false, children } = given
  const own = useUniqueId()
  const headingId = titleId ?? own
  const heading = h(
    `h${level}`,
    { id: headingId, class: icon !== undefined ? 'with-sign' : isMain === true ? 'subject' : undefined },
    icon && <Icon of={icon} />,
    title,
  )
  const body = isList ? children : <CardBody isStack>{children}</CardBody>
  const head = (
    <div class="head row between">
      {note === undefined ? (
        heading
      ) : (
        <div>
          {heading}
          <p class="soft small">{note}</p>
        </div>
      )}
      {act}
    </div>
  )
  // A card below another heading, or whose heading names more, is no place of its own.
  return level === 3 || titleId !== undefined
    ? h('div', { id, class: 'card parts' }, head, body)
    : h('section', { id, class: 'card parts', 'aria-labelledby': headingId, 'aria-busy': isBusy }, head, body)
}

type PartsCardProps = {
  as?: 'section' | 'nav' | 'article'
  label: string
  /** What stands at the top, with its acts at the end. */
  head?: ComponentChildren
  children?: ComponentChildren
}

/** A card whose parts reach its edges, and whose head is more than a heading. */
export const PartsCard = ({ as = 'section', head, children, ...given }: PartsCardProps) =>
  h(as, attributesOf('card parts', given), head !== undefined && <div class="head row between">{head}</div>, children)

type CardBodyProps = {
  as?: 'div' | 'p'
  isStack?: boolean
  tone?: 'soft'
  /** True if a narrow window has no room for it. */
  isWideOnly?: boolean
  /** True while nothing in it can be changed. */
  isInert?: boolean
}

/** What stands between the head and the foot of such a card, at a distance from its edges. */
export const CardBody = drawn<CardBodyProps>('div', 'body')

type DividedProps = {
  label: string
  onSubmit: (event: Event) => void
  onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLFormElement }) => void
}

/** A form whose parts have lines between them, from edge to edge of its card. */
export const DividedForm = drawn<DividedProps>('form', 'card divided')

type CardFootProps = {
  as?: 'div' | 'p'
  /** `row`: buttons, and a line about them; `row bar`: they stay in sight. */
  look?: 'row' | 'row bar' | 'row between' | 'row between bar'
  role?: 'status'
  isStack?: boolean
  isHidden?: boolean
}

/** A line at the foot of such a card. */
export const CardFoot = drawn<CardFootProps>('div', 'foot-line')

/** A notice of one sentence or two, without a title. */
export const Remark = drawn<{ tone?: Tone; role?: 'status' | 'alert' }>('p', 'notice')

type NoticeRowProps = { tone: Tone | undefined; icon: IconPaths; title: string; children: ComponentChildren }

/** A notice in one line where there is room: a title, a sentence, and a link at the end. */
export const NoticeRow = ({ tone, icon, title, children }: NoticeRowProps) =>
  h(
    'div',
    attributesOf('notice row', { tone }),
    <WithSign as="b" icon={icon}>
      {title}
    </WithSign>,
    children,
  )

type WithSignProps = { as?: 'span' | 'p' | 'b' | 'h3'; icon: IconPaths; tone?: Tone; children: ComponentChildren }

/** A sign and, beside it, words that may take several lines. */
export const WithSign = ({ as = 'span', icon, tone, children }: WithSignProps) =>
  h(as, attributesOf('with-sign', { tone }), <Icon of={icon} />, <span>{children}</span>)

/** In force or not, by a filled or an empty dot. */
export const State = ({ isOn, children }: { isOn: boolean; children: string }) => (
  <span class={isOn ? 'small state on' : 'small state soft'}>{children}</span>
)

/** Things one below the other that are too different for a table. Each child is a `li`. */
export const PlainList = drawn<{ label?: string }>('ul', 'list')

type ButtonLinkProps = {
  href: string
  look?: 'first' | 'quiet' | undefined
  download?: string
  target?: '_blank'
}

export const ButtonLink = drawn<ButtonLinkProps>('a', 'button')

/** Leads to what a document says about it. */
export const Help = ({ of, to }: { of: string; to: string }) => (
  <a class="badge" href={to} aria-label={`About ${of}`} title={`About ${of}`}>
    ?
  </a>
)

type QuoteProps = {
  /** What it is about, if that is said. */
  title: ComponentChildren
  children?: ComponentChildren
  by: ComponentChildren
}

/** What a person has stated, and who and when. */
export const Quote = ({ title, children, by }: QuoteProps) => (
  <blockquote class="notice stack-s">
    {title !== null && <p>{title}</p>}
    {children}
    <p class="soft small">{by}</p>
  </blockquote>
)

/** A text as somebody wrote it. */
export const Letter = drawn('blockquote', 'card lines')

/** Links or buttons of which each takes a line, in what opens below a button. Each child is a `li`. */
export const Menu = drawn('ul', 'menu')

export const SmallLink = drawn<{ href: string }>('a', 'small')

/** Links or buttons of which one is chosen: one of a few states, or of a few examples. */
export const Segments = (given: { label: string; isOffPaper?: boolean; children: ComponentChildren }) =>
  h('div', attributesOf('segments', { role: 'group', ...given }))

type SignRowProps = {
  icon?: IconPaths | undefined
  /** A sign that is more than an icon. */
  sign?: ComponentChildren
  tone?: 'warn' | 'bad' | undefined
  isBusy?: boolean
  title: ComponentChildren
  about?: ComponentChildren
  /** True where the ends of all rows are one column. */
  isInColumns?: boolean
  /** At the end. */
  children?: ComponentChildren
}

/** A row of a list: a sign, a name with a line about it, and what belongs at the end. */
export const SignRow = ({ icon, sign, tone, isBusy, title, about, isInColumns = false, children }: SignRowProps) =>
  h(
    'li',
    attributesOf(isInColumns ? 'sign-row row in-columns' : 'sign-row row', { tone, isBusy }),
    icon === undefined ? sign : <Icon of={icon} />,
    <div>
      {title}
      {about !== undefined && <small>{about}</small>}
    </div>,
    children,
  )

type EmptyProps = { title: ComponentChildren; children?: ComponentChildren; action?: ComponentChildren }

/** The notice for an empty list: what it will contain, and one thing to do. */
export const EmptyNotice = ({ title, children, action }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    {children !== undefined && <p class="soft">{children}</p>}
    {action}
  </div>
)
