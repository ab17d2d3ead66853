// Shows the buttons that open the search, and opens it by them, by Ctrl+K or ⌘K, and by "/". Its code is loaded when it is opened.

let isLoading = false

/** Opens the search with what somebody typed while its code was loading. */
async function openSearch(): Promise<void> {
  if (isLoading || document.querySelector('dialog[open]') !== null) return
  isLoading = true
  let typed = ''
  const collect = (event: KeyboardEvent): void => {
    if (event.key.length === 1 && isPlain(event)) typed += event.key
  }
  addEventListener('keydown', collect, { capture: true })
  try {
    const { showSearch } = await import('./search.view.tsx')
    showSearch(typed)
  } catch {
    // The code could not be loaded. The list of documents needs none.
    location.assign('/docs')
  } finally {
    removeEventListener('keydown', collect, { capture: true })
    isLoading = false
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select')

const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => !ctrlKey && !metaKey && !altKey

const opens = (event: KeyboardEvent): boolean =>
  isPlain(event) ? event.key === '/' && !isTyping(event.target) : event.key === 'k' && !event.altKey && !event.shiftKey

/** Lets the page's buttons and keys open the search. */
export function enableSearch(): void {
  addEventListener('keydown', (event) => {
    if (!opens(event)) return
    event.preventDefault()
    void openSearch()
  })
  for (const button of document.querySelectorAll<HTMLElement>('[data-act=search]')) {
    button.addEventListener('click', () => void openSearch())
    button.hidden = false
  }
}
