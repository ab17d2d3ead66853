// Parts that some pages have, and that the script of all pages is therefore without: a card with a head, a remark, a badge, a link that
// looks like a button, and the notice for an empty list.
import { h, type ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'
import { classes } from './layout.view.tsx'

type HeadedCardProps = {
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
export function HeadedCard({ title, note, act, isList = false, children }: HeadedCardProps) {
  const id = useUniqueId()
  const heading = <h2 id={id}>{title}</h2>
  return (
    <section class="card parts" aria-labelledby={id}>
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

type CardBodyProps = { as?: 'div' | 'p'; isStack?: boolean; tone?: 'soft'; children: ComponentChildren }

/** What stands between the head and the foot of such a card, at a distance from its edges. */
export const CardBody = ({ as = 'div', isStack = false, tone, children }: CardBodyProps) =>
  h(as, { class: classes('body', isStack && 'stack', tone) }, children)

/** A line at the foot of such a card. */
export const CardFoot = ({ as = 'div', children }: { as?: 'div' | 'p'; children: ComponentChildren }) =>
  h(as, { class: 'foot-line' }, children)

export type Tone = 'good' | 'warn' | 'bad'

/** A notice of one sentence or two, without a title. */
export const Remark = ({ tone, children }: { tone?: Tone; children: ComponentChildren }) => (
  <p class={classes('notice', tone)}>{children}</p>
)

type BadgeProps = { tone?: Tone | 'soft' | 'changed'; icon?: IconPaths; children: ComponentChildren }

export const Badge = ({ tone, icon, children }: BadgeProps) => (
  <span class={classes('badge', icon !== undefined && 'with-icon', tone)}>
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

type ButtonLinkProps = { href: string; look?: 'first' | 'quiet'; children: ComponentChildren }

/** A link that looks like a button. */
export const ButtonLink = ({ href, look, children }: ButtonLinkProps) => (
  <a class={look === undefined ? 'button' : `button ${look}`} href={href}>
    {children}
  </a>
)

type EmptyProps = { title: string; children: ComponentChildren; action?: ComponentChildren }

/** The notice for an empty list: what it will contain, and one thing to do. */
export const EmptyNotice = ({ title, children, action }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    <p class="soft">{children}</p>
    {action}
  </div>
)
