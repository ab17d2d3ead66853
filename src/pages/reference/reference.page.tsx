// The first page of the API reference. Each operation has a page of its own now: an old address, /reference#OPERATION, leads there.
import { CopyButton } from '../parts/copy-button.view.tsx'
import { showIn } from '../parts/island.ts'
import { enableSearch } from '../search/open-search.ts'
import { plural } from '../text/format.ts'

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

const field = document.querySelector<HTMLInputElement>('#find')
const found = document.querySelector('#found')
const operators = document.querySelector<HTMLElement>('[aria-labelledby=for-operators]')
const folds = [...document.querySelectorAll<HTMLDetailsElement>('.folds > details')]

/** Opens the groups that have an operation with all the words, and shows those operations alone. */
function find(asked: string): void {
  const words = asked.toLowerCase().split(/\s+/)
  let count = 0
  for (const [at, fold] of folds.entries()) {
    const rows = [...fold.querySelectorAll('li')]
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word))
    const shown = rows.filter(({ hidden }) => !hidden).length
    fold.hidden = shown === 0
    fold.open = asked === '' ? at === 0 : shown > 0
    count += shown
  }
  if (operators !== null) operators.hidden = operators.querySelector('details:not([hidden])') === null
  const NONE = 'No operation has this. Try another word.'
  found?.replaceChildren(asked === '' ? '' : count === 0 ? NONE : plural(count, 'operation'))
}

if (field !== null) {
  field.disabled = false
  field.addEventListener('input', () => find(field.value.trim()))
  if (field.value !== '') find(field.value.trim())
}
