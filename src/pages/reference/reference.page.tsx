// The first page of the API reference. Each operation has a page of its own now: an old address, /reference#OPERATION, leads there.
import { enableSearch } from '../search/open-search.ts'

const named = location.hash.slice(1)
const link = [...document.querySelectorAll<HTMLAnchorElement>('main a')].find(
  ({ pathname }) => pathname === `/reference/${named}`,
)
if (link !== undefined) location.replace(link.href)
document.querySelector('#base')?.replaceChildren(`${location.origin}/v1`)
enableSearch()
