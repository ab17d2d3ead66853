// Account page: a card with its heading, for a form, for facts or for a list that reaches its edges.
import type { ComponentChildren } from 'preact'
import { useUniqueId } from '../../parts/field-frame.view.tsx'

type Props = {
  title: string
  /** A line below the heading. */
  note?: string
  /** True for a list, which brings the distances of its own. */
  isList?: boolean
  children: ComponentChildren
}

export function AccountCard({ title, note, isList = false, children }: Props) {
  const id = useUniqueId()
  return (
    <section class="card parts" aria-labelledby={id}>
      <div class="head">
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p class="soft small">{note}</p>}
        </div>
      </div>
      <div class={isList ? 'own-list stack' : 'body stack'}>{children}</div>
    </section>
  )
}
