// A link to the same page with something else open or filtered: followed in place, and opened elsewhere like any other link.
import type { ComponentChildren } from 'preact'
import { changeAddress } from '../api/use-address.ts'

type Given = {
  /** Members of the address; '' takes one away. */
  change: Readonly<Record<string, string>>
  class?: string
  /** What is open is what it leads to. */
  isCurrent?: boolean
  children: ComponentChildren
}

export function OpenLink({ change, class: named, isCurrent = false, children }: Given) {
  return (
    <a
      href={addressWith(change)}
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

function addressWith(change: Given['change']): string {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}
