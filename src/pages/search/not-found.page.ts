// The script of 404: the search, and below an address of the dashboard the way back to it instead of the ways in.
import { enableSearch } from './open-search.ts'

enableSearch()

if (/^\/app(?:\/|$)/.test(location.pathname)) {
  for (const link of document.querySelectorAll<HTMLElement>('[href="/sign-in"], [href="/sign-up"]')) link.hidden = true
  for (const hidden of document.querySelectorAll<HTMLElement>('[data-of="dashboard"]')) hidden.hidden = false
}
