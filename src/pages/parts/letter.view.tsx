// A letter: the card that it is written in, what each of its readers says, and what follows.
import type { ComponentChildren } from 'preact'
import { attributesOf } from './drawn.ts'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'

type CardProps = { head: ComponentChildren; onSubmit: (event: Event) => void; children: ComponentChildren }

/** The form: its head, the text, and its foot. */
export const LetterCard = ({ head, onSubmit, children }: CardProps) => (
  <form class="card parts letter-card no-print" onSubmit={onSubmit}>
    <div class="head">{head}</div>
    {children}
  </form>
)

export const ReaderCard = ({ by, title, children }: { by: string; title: string; children: ComponentChildren }) => (
  <section class="card small soft" aria-label={by}>
    <strong>{by}</strong>
    <br />
    <b class="subject">{title}</b>
    <p>{children}</p>
  </section>
)

type VerdictProps = {
  icon: IconPaths
  /** Absent if nobody needs to act. */
  tone?: 'warn' | 'bad' | 'changed' | undefined
  title: string
  /** Of the heading. */
  id?: string
  children: ComponentChildren
}

export const Verdict = ({ icon, tone = 'changed', title, id, children }: VerdictProps) => (
  <div {...attributesOf('notice row', { tone, isSingle: true })}>
    <Icon of={icon} />
    <div>
      <h2 id={id} class="subject">
        {title}
      </h2>
      <p>{children}</p>
    </div>
  </div>
)
