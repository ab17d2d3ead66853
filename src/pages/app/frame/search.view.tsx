// The dashboard's search, over the links of the menu, and its shortcut keys: `/` opens the search for pages and ids; `?` lists the
// keys. A person can switch the keys off.
import { useState } from 'preact/hooks'
import { Button, submitHandler } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Checkbox, InputField } from '../../parts/fields.view.tsx'
import { showInFront } from '../../parts/island.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { searchPages } from './search-pages.ts'

export const menuLinks = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('#side a')]

const SHORTCUTS_OFF_KEY = 'keys-off'

export function enableSearch(): void {
  document.querySelector('#find')?.addEventListener('click', find)
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(SHORTCUTS_OFF_KEY) !== null) return
    if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return
    if (event.key !== '/' && event.key !== '?') return
    event.preventDefault()
    if (event.key === '/') find()
    else showInFront((close) => <ShortcutList onClose={close} />)
  })
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/** Opens the search. On a page with its own search field, focuses that field. */
function find(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  if (field === null) showInFront((close) => <Find onClose={close} />)
  else field.focus()
}

function Find({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const pages = menuLinks()
    .filter((link) => link.closest('[hidden]') === null)
    .map((link) => ({ name: (link.firstChild?.textContent ?? '').trim(), address: link.href }))
  const found = searchPages(text, pages)
  return (
    <Dialog title="Find" onClose={onClose}>
      <form
        class="stack"
        onSubmit={submitHandler(() => {
          const [first] = found
          if (first !== undefined) location.assign(first.address)
        })}
      >
        <InputField
          label="A page, or an id"
          hint="An id of a key, an approval or a record. Enter opens the first."
          type="search"
          autocomplete="off"
          value={text}
          onValue={setText}
        />
        <p class="only-read" role="status">
          {found.length} found
        </p>
        <ul class="menu">
          {found.map(({ name, address }) => (
            <li key={address}>
              <a href={address}>{name}</a>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p>No page has this in its name, and it is no id that has a page.</p>}
        <p class="row">
          <Button onClick={onClose}>Close</Button>
        </p>
      </form>
    </Dialog>
  )
}

const SHORTCUTS = [
  ['/', 'Find a page or an id; on a page with a search, go to it'],
  ['?', 'Show these keys'],
  ['Escape', 'Close what is in front of the page'],
  ['← →', 'In a chart: the place before, the place after'],
  ['Home End', 'In a chart: the first place, the last'],
] as const

function ShortcutList({ onClose }: { onClose: () => void }) {
  const [isOff, setOff] = useState(localStorage.getItem(SHORTCUTS_OFF_KEY) !== null)
  const switchOff = (isNowOff: boolean): void => {
    if (isNowOff) localStorage.setItem(SHORTCUTS_OFF_KEY, '')
    else localStorage.removeItem(SHORTCUTS_OFF_KEY)
    setOff(isNowOff)
  }
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <Facts facts={SHORTCUTS.map(([key, what]) => [<kbd>{key}</kbd>, what])} />
      <Checkbox isChecked={isOff} onCheck={switchOff}>
        <span>Switch / and ? off in this browser</span>
      </Checkbox>
      <p class="row">
        <Button onClick={onClose}>Close</Button>
      </p>
    </Dialog>
  )
}
