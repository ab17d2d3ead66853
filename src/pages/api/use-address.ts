// What stands in the address after the question mark: filters and what is open, so that the link shows a colleague the same.
import { useLayoutEffect, useState } from 'preact/hooks'

const CHANGED = 'address-changed'

const read = (): URLSearchParams => new URL(location.href).searchParams

/** The members, and what changes some of them: '' takes one away. The page before stays what the browser goes back to. */
export function useAddress(): [URLSearchParams, (change: Readonly<Record<string, string>>) => void] {
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

export function changeAddress(change: Readonly<Record<string, string>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  history.pushState(null, '', url)
  dispatchEvent(new Event(CHANGED))
}
