// Hook and link for query parameters of a page's URL: filters and the open item, so that a link shows the same to others.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const CHANGED = 'address-changed'

const read = (): URLSearchParams => new URL(location.href).searchParams

/** New values for the URL's parameters; '' removes one. */
type Change = Readonly<Record<string, string>>

/** Returns the parameters and a function that changes some. The browser's back button undoes a change. */
export function useAddress(): [URLSearchParams, (change: Change) => void] {
  const [members, setMembers] = useState(read)
  useLayoutEffect(() => {
    const update = (): void => setMembers(read())
    for (const event of ['popstate', CHANGED]) addEventListener(event, update)
    return () => {
      for (const event of ['popstate', CHANGED]) removeEventListener(event, update)
    }
  }, [])
  return [members, changeAddress]
}

export function changeAddress(change: Change): void {
  history.pushState(null, '', addressWith(change))
  dispatchEvent(new Event(CHANGED))
}

function addressWith(change: Change): URL {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url
}

type Given = {
  change: Change
  class?: string
  /** True if the link leads to the open item. */
  isCurrent?: boolean
  children: ComponentChildren
}

/** A link to this page with other parameters. It changes the page in place, and can open in a new tab like any link. */
export function OpenLink({ change, class: named, isCurrent = false, children }: Given) {
  const { pathname, search } = addressWith(change)
  return (
    <a
      href={pathname + search}
      class={named}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        changeAddress(change)
      }}
    >
      {children}
    </a>
  )
}
