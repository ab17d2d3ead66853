// The script of 404: the search. Below an address of the dashboard it hides the ways in.
import { enableSearch } from './open-search.ts'

enableSearch()

if (/^\/app(?:\/|$)/.test(location.pathname)) {
  for (const link of document.querySelectorAll<HTMLElement>('[href="/sign-in"], [href="/sign-up"]')) link.hidden = true
}
