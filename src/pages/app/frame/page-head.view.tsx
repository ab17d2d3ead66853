// What a page says below its heading and does beside it. Both places are in the page's HTML, so that nothing moves when they fill.
import { render, type ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

type Props = {
  /** The sentence below the heading. A page that has one names it in pages.ts, even if it is empty. Null: an empty one goes. */
  lead?: ComponentChildren
  /** Buttons and links beside the heading. Their room on a phone goes if they are absent or false, and stays while they are null. */
  children?: ComponentChildren
}

export function PageHead({ lead, children }: Props) {
  useLayoutEffect(() => {
    if (lead === null) document.querySelector('#lead:empty')?.remove()
    const place = document.querySelector('#lead')
    if (place === null || lead === undefined || lead === null) return
    // The build has put its text there, which is not of preact.
    if (place.firstElementChild === null) place.replaceChildren()
    render(<span>{lead}</span>, place)
  })
  useLayoutEffect(() => {
    const place = document.querySelector('#acts')
    if (place === null) return
    render(<>{children}</>, place)
    place.toggleAttribute('hidden', children === undefined || children === false)
  })
  return null
}
