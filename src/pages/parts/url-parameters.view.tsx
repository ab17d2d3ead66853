// Hook and link for the query parameters of a page's URL. They have the filters and the open item, so a copied link shows others
// the same view.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const CHANGED = 'address-changed'

const read = (): URLSearchParams => new URL(location.href).searchParams

/** New values for the URL's parameters; '' removes one. */
export type Change = Readonly<Record<string, string>>

/** Returns the parameters and a function that changes some. The browser's back button undoes a change. */
export function useUrlParameters(): [URLSearchParams, (change: Change) => void] {
  const [parameters, setParameters] = useState(read)
  useLayoutEffect(() => {
    const update = (): void => setParameters(read())
    for (const event of ['popstate', CHANGED]) addEventListener(event, update)
    return () => {
      for (const event of ['popstate', CHANGED]) removeEventListener(event, update)
    }
  }, [])
  return [parameters, changeUrlParameters]
}

export function changeUrlParameters(change: Change): void {
  history.pushState(null, '', urlWith(change))
  dispatchEvent(new Event(CHANGED))
}

/** Another address for what is shown, in the place of this one in the history. */
export function replaceUrl(url: URL): void {
  history.replaceState(history.state, '', url)
  dispatchEvent(new Event(CHANGED))
}

function urlWith(change: Change): URL {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url
}

const ancestorsOf = ({ parentElement: parent }: Element): Element[] =>
  parent === null ? [] : [parent, ...ancestorsOf(parent)]

/** How a link looks: as a button, over its whole row, as a row of a list, as an applied filter, or as the text around it. */
const LOOKS = {
  button: 'button',
  first: 'button first',
  cover: 'cover plain-link',
  row: 'list-row row',
  applied: 'pick',
  plain: 'plain-link',
  tile: 'card figure small tile',
} as const

type Props = {
  change: Change
  look?: keyof typeof LOOKS
  /** True if the link leads to the open item. */
  isCurrent?: boolean | undefined
  children: ComponentChildren
}

/** A link to this page with other parameters. It changes the page in place, and can open in a new tab like any link. */
export function ParameterLink({ change, look, isCurrent = false, children }: Props) {
  const { pathname, search } = urlWith(change)
  return (
    <a
      href={pathname + search}
      class={look && LOOKS[look]}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        const around = ancestorsOf(event.currentTarget)
        changeUrlParameters(change)
        // A filter goes with its own link: the focus stays near.
        requestAnimationFrame(() => {
          const near = around.find((one) => one.isConnected)?.querySelector<HTMLElement>('a, button, input')
          if (document.activeElement === document.body) near?.focus({ preventScroll: true })
        })
      }}
    >
      {children}
    </a>
  )
}
