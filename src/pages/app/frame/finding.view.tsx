// `/` finds a page, or what an id stands for; `?` shows the keys. Both can be switched off, for who speaks to the computer.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { foundFor } from './found-for.ts'
import { sideLinks } from './side.ts'

const KEPT = 'keys-off'

export function showFinding(): void {
  document.querySelector('#find')?.addEventListener('click', find)
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(KEPT) !== null) return
    if (isWrittenIn(event.target) || document.querySelector('dialog[open]') !== null) return
    if (event.key !== '/' && event.key !== '?') return
    event.preventDefault()
    if (event.key === '/') find()
    else open(Keys)
  })
}

const isWrittenIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/** A page that has a field to search in has it for this. */
function find(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  if (field === null) open(Find)
  else field.focus()
}

function open(Shown: (given: { onClose: () => void }) => preact.JSX.Element): void {
  const place = document.createElement('div')
  document.body.append(place)
  const close = (): void => {
    render(null, place)
    place.remove()
  }
  render(<Shown onClose={close} />, place)
}

function Find({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const pages = sideLinks()
    .filter((link) => link.closest('[hidden]') === null)
    .map((link) => ({ name: (link.firstChild?.textContent ?? '').trim(), address: link.href }))
  const found = foundFor(text, pages)
  return (
    <Dialog title="Find" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) location.assign(first.address)
        }}
      >
        <Field label="A page, or an id" hint="An id of a key, an approval or a record. Enter opens the first.">
          {(control) => (
            <input
              {...control}
              type="search"
              autocomplete="off"
              value={text}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
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
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
        </p>
      </form>
    </Dialog>
  )
}

const KEYS = [
  ['/', 'Find a page or an id; on a page with a search, go to it'],
  ['?', 'Show these keys'],
  ['Escape', 'Close what is in front of the page'],
  ['← →', 'In a chart: the place before, the place after'],
  ['Home End', 'In a chart: the first place, the last'],
] as const

function Keys({ onClose }: { onClose: () => void }) {
  const [isOff, setOff] = useState(localStorage.getItem(KEPT) !== null)
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="facts">
        {KEYS.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={isOff}
          onChange={({ currentTarget: { checked } }) => {
            if (checked) localStorage.setItem(KEPT, '')
            else localStorage.removeItem(KEPT)
            setOff(checked)
          }}
        />
        <span>Switch / and ? off in this browser</span>
      </label>
      <p class="row">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  )
}
