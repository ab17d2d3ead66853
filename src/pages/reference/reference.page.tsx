// The first page of the API reference. Each operation has a page of its own now: an old address, /reference#OPERATION, leads there.
import { CopyButton } from '../parts/copy-button.view.tsx'
import { showIn } from '../parts/island.ts'
import { enableSearch } from '../search/open-search.ts'

const named = location.hash.slice(1)
const link = [...document.querySelectorAll<HTMLAnchorElement>('main a')].find(
  ({ pathname }) => pathname === `/reference/${named}`,
)
if (link !== undefined) location.replace(link.href)
const { origin } = location
document.querySelector('#base')?.replaceChildren(origin)
document.querySelector('#base-of-clients')?.replaceChildren(`${origin}/v1`)
showIn('#copy-base', <CopyButton text={origin} what="the base URL" />)
enableSearch()
