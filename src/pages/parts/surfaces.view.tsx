// Parts that some pages have, and that the script of all pages is therefore without: a card with a head, a remark, a badge, a link that
// looks like a button, and the notice for an empty list.
import { h, type ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'
import { classes, type Tone } from './layout.view.tsx'

type HeadedCardProps = {
  /** Its place in an address. */
  id?: string
  /** A sign before the heading. */
  icon?: IconPaths
  isBusy?: boolean
  title: ComponentChildren
  /** A line below the heading. */
  note?: string
  /** Beside the heading. */
  act?: ComponentChildren
  /** True for a list, whose rows reach the edges of the card. */
  isList?: boolean
  children: ComponentChildren
}

/** A card whose heading has a line of its own, for a form, for facts or for a list. */
export function HeadedCard({ id, icon, isBusy, title, note, act, isList = false, children }: HeadedCardProps) {
  const named = useUniqueId()
  const heading = (
    <h2 id={named} class={icon && 'with-sign'}>
      {icon !== undefined && <Icon of={icon} />}
      {title}
    </h2>
  )
  return (
    <section id={id} class="card parts" aria-labelledby={named} aria-busy={isBusy}>
      <div class="head">
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
      {isList ? children : <CardBody isStack>{children}</CardBody>}
    </section>
  )
}

type PartsCardProps = {
  as?: 'section' | 'nav' | 'article'
  label: string
  /** What stands at the top, with its acts at the end. */
  head?: ComponentChildren
  children?: ComponentChildren
}

/** A card whose parts reach its edges, and whose head is more than a heading. */
export const PartsCard = ({ as = 'section', label, head, children }: PartsCardProps) =>
  h(as, { class: 'card parts', 'aria-label': label }, head !== undefined && <div class="head">{head}</div>, children)

type CardBodyProps = {
  as?: 'div' | 'p'
  isStack?: boolean
  tone?: 'soft'
  /** True if a narrow window has no room for it. */
  isWideOnly?: boolean
  /** True while nothing in it can be changed. */
  isInert?: boolean
  children: ComponentChildren
}

/** What stands between the head and the foot of such a card, at a distance from its edges. */
export const CardBody = ({ as = 'div', isStack = false, isWideOnly, tone, isInert, children }: CardBodyProps) =>
  h(as, { class: classes('body', isStack && 'stack', isWideOnly && 'wide-only', tone), inert: isInert }, children)

type DividedProps = {
  label: string
  onSubmit: (event: Event) => void
  onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLFormElement }) => void
  children: ComponentChildren
}

/** A form whose parts have lines between them, from edge to edge of its card. */
export const DividedForm = ({ label, children, ...handlers }: DividedProps) => (
  <form class="card divided" aria-label={label} {...handlers}>
    {children}
  </form>
)

/** @param look `acts`: buttons, and a line about them; `pinned`: they stay in sight on a phone */
type CardFootProps = {
  as?: 'div' | 'p' | 'details'
  look?: 'acts' | 'pinned'
  isStack?: boolean
  isHidden?: boolean
  children: ComponentChildren
}

/** A line at the foot of such a card. */
export const CardFoot = ({ as = 'div', look, isStack, isHidden, children }: CardFootProps) =>
  h(as, { class: classes('foot-line', look && 'acts', look, isStack && 'stack-s'), hidden: isHidden }, children)

/** A notice of one sentence or two, without a title. */
export const Remark = ({ tone, role, children }: { tone?: Tone; role?: 'status'; children: ComponentChildren }) => (
  <p class={classes('notice', tone)} role={role}>
    {children}
  </p>
)

type BadgeProps = {
  tone?: Tone | 'soft' | 'changed'
  icon?: IconPaths
  /** True for a short id, with its sign behind it. */
  isCode?: boolean
  children: ComponentChildren
}

export const Badge = ({ tone, icon, isCode, children }: BadgeProps) => (
  <span class={classes('badge', icon !== undefined && 'with-icon', isCode && 'brief', tone)}>
    {icon !== undefined && <Icon of={icon} />}
    {children}
  </span>
)

/** A sign and, beside it, words that may take several lines. */
export const WithSign = ({
  as = 'span',
  icon,
  children,
}: {
  as?: 'span' | 'p' | 'b'
  icon: IconPaths
  children: ComponentChildren
}) => h(as, { class: 'with-sign' }, <Icon of={icon} />, children)

/** Things one below the other that are too different for a table. Each child is a `li`. */
export const PlainList = ({ label, children }: { label?: string; children: ComponentChildren }) => (
  <ul class="list" aria-label={label}>
    {children}
  </ul>
)

type ButtonLinkProps = {
  href: string
  look?: 'first' | 'quiet' | undefined
  /** The name of the file that the link saves. */
  download?: string
  target?: '_blank'
  children: ComponentChildren
}

/** A link that looks like a button. */
export const ButtonLink = ({ look, children, ...link }: ButtonLinkProps) => (
  <a {...link} class={classes('button', look)}>
    {children}
  </a>
)

type EmptyProps = { title: ComponentChildren; children?: ComponentChildren; action?: ComponentChildren }

type QuoteProps = {
  /** What it says, or what it is about. */
  title: ComponentChildren
  children?: ComponentChildren
  by: ComponentChildren
}

/** What a person has stated, and who and when. */
export const Quote = ({ title, children, by }: QuoteProps) => (
  <blockquote class="notice stack-s">
    <p>{title}</p>
    {children}
    <p class="soft small">{by}</p>
  </blockquote>
)
/** A text as somebody wrote it. */
export const Letter = ({ children }: { children: string }) => <blockquote class="letter">{children}</blockquote>

/** Links or buttons of which each takes a line, in what opens below a button. Each child is a `li`. */
export const Menu = ({ children }: { children: ComponentChildren }) => <ul class="menu">{children}</ul>

type SmallLinkProps = { href: string; children: ComponentChildren }

/** A link beside something larger. */
export const SmallLink = ({ href, children }: SmallLinkProps) => (
  <a class="small" href={href}>
    {children}
  </a>
)

type SegmentsProps = { as?: 'div' | 'nav'; label: string; isOffPaper?: boolean; children: ComponentChildren }

/** Links or buttons of which one is chosen: one of a few states, or of a few examples. */
export const Segments = ({ as = 'div', label, isOffPaper, children }: SegmentsProps) =>
  h(
    as,
    {
      class: classes('segments', isOffPaper && 'no-print'),
      role: as === 'div' ? 'group' : undefined,
      'aria-label': label,
    },
    children,
  )

type SignRowProps = {
  icon?: IconPaths
  /** A sign that is more than an icon. */
  sign?: ComponentChildren
  tone?: 'warn' | 'bad' | undefined
  title: ComponentChildren
  about?: ComponentChildren
  /** Before the end, in a column of its own where there is room. */
  aside?: ComponentChildren
  /** At the end. */
  children?: ComponentChildren
}

/** A row of a list: a sign, a name with a line about it, and what belongs at the end. */
export const SignRow = ({ icon, sign, tone, title, about, aside, children }: SignRowProps) => (
  <li class={classes('sign-row', aside !== undefined && 'in-columns', tone)}>
    {icon === undefined ? sign : <Icon of={icon} />}
    <span>
      {title}
      {about !== undefined && <small>{about}</small>}
    </span>
    {aside !== undefined && <small>{aside}</small>}
    {children}
  </li>
)

/** The notice for an empty list: what it will contain, and one thing to do. */
export const EmptyNotice = ({ title, children, action }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    {children !== undefined && <p class="soft">{children}</p>}
    {action}
  </div>
)
