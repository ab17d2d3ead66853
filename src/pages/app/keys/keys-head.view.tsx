// Keys page: its heading. A key and the form of a new one have a heading of their own, and a link back to the list above it.
import { render, type ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Crumb } from '../../parts/link-row.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'

const LIST = 'API keys'

type Props = {
  /** The heading; absent: that of the list. */
  title?: string
  /** The name of the place, below the list. */
  place?: string
  lead: ComponentChildren
  children?: ComponentChildren
}

export function KeysHead({ title = LIST, place, lead, children }: Props) {
  useLayoutEffect(() => {
    const heading = document.querySelector<HTMLElement>('h1')
    if (heading === null || heading.textContent === title) return
    heading.textContent = title
    document.title = `${title} · Countersign`
    // The keyboard continues at what was opened.
    heading.tabIndex = -1
    heading.focus()
  }, [title])
  useLayoutEffect(() => {
    if (place === undefined) return undefined
    const above = document.createElement('div')
    document.querySelector('#page')?.prepend(above)
    render(<Crumb list={LIST} change={{ id: '', create: '' }} place={place} />, above)
    return () => above.remove()
  }, [place])
  return <PageHead lead={lead}>{children}</PageHead>
}
