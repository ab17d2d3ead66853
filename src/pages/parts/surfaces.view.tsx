// Parts that some pages have, and that the script of all pages is therefore without: a card with a head, a remark, a badge, a link that
// looks like a button, and the notice for an empty list.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from './field-frame.view.tsx'

type HeadedCardProps = {
  title: string
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
  return (
    <section class="card parts" aria-labelledby={id}>
      <div class="head">
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p class="soft small">{note}</p>}
        </div>
        {act}
      </div>
      {isList ? children : <div class="body stack">{children}</div>}
    </section>
  )
}

/** A notice of one sentence or two, without a title. */
export const Remark = ({ children }: { children: ComponentChildren }) => <p class="notice">{children}</p>

export const Badge = ({ tone, children }: { tone?: 'good' | 'warn' | 'bad'; children: ComponentChildren }) => (
  <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
)

type ButtonLinkProps = { href: string; look?: 'first'; children: ComponentChildren }

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
