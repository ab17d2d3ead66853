// Opens the search by its buttons, by Ctrl+K or ⌘K, and by "/". Its code is loaded when it is opened.
import type { SearchOptions } from './search-entries.ts'

const DOCUMENTS_ALONE: SearchOptions = {
  label: 'Search documents and API',
  hint: 'Type a word, an error code, or the path of an operation.',
}

const OFF_KEY = 'keys-off'

/** True if the person has switched off the keys that are pressed alone. */
export const areSingleKeysOff = (): boolean => localStorage.getItem(OFF_KEY) !== null

export function setSingleKeysOff(isOff: boolean): void {
  if (isOff) localStorage.setItem(OFF_KEY, '')
  else localStorage.removeItem(OFF_KEY)
}

const loadCode = ({ loadOwn }: SearchOptions) => Promise.all([import('./search.view.tsx'), loadOwn?.()])

/** Kept, so that the search is drawn in the next frame when it is opened again. */
let loaded: ReturnType<typeof loadCode> | null = null

let isLoading = false

/** Opens the search with what somebody typed while its code was loading. */
async function openSearch(options: SearchOptions): Promise<void> {
  if (isLoading || document.querySelector('dialog[open]') !== null) return
  isLoading = true
  let typed = ''
  const collect = (event: KeyboardEvent): void => {
    if (event.key.length === 1 && isPlain(event)) typed += event.key
  }
  addEventListener('keydown', collect, { capture: true })
  try {
    loaded ??= loadCode(options)
    const [{ showSearch }, openOwn] = await loaded
    showSearch(typed, options, openOwn?.() ?? null)
  } catch {
    loaded = null
    // The code could not be loaded. The list of documents needs none.
    location.assign('/docs')
  } finally {
    removeEventListener('keydown', collect, { capture: true })
    isLoading = false
  }
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]')

export const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => !ctrlKey && !metaKey && !altKey

const opens = (event: KeyboardEvent): boolean =>
  isPlain(event)
    ? event.key === '/' && !isTyping(event.target) && !areSingleKeysOff()
    : event.key === 'k' && !event.altKey && !event.shiftKey

/** Lets the page's buttons and keys open the search. */
export function enableSearch(options: SearchOptions = DOCUMENTS_ALONE): void {
  addEventListener('keydown', (event) => {
    if (!opens(event)) return
    event.preventDefault()
    void openSearch(options)
  })
  for (const button of document.querySelectorAll<HTMLElement>('[data-act=search]')) {
    button.addEventListener('click', () => void openSearch(options))
    button.hidden = false
  }
}
