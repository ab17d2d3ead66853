// Runs before a page is painted: puts the theme in force that the reader chose, lets the switch in the header choose one, keeps room
// for the note of a demo (app/frame/frame.view.tsx), and writes the address of the service into code.
const KEY = 'theme'
const DARK = matchMedia('(prefers-color-scheme: dark)')
const page = document.documentElement

/** What the browser keeps; a browser that keeps nothing has no choice. */
const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

const show = (theme: string | null): void => {
  if (theme === null) delete page.dataset['theme']
  else page.dataset['theme'] = theme
}

/** A choice that is the system's own is none: the page goes on to follow the system. */
const choose = (theme: 'light' | 'dark'): void => {
  const isSystems = (theme === 'dark') === DARK.matches
  show(isSystems ? null : theme)
  try {
    if (isSystems) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // It holds until the page is left.
  }
}

const isDark = (): boolean => (page.dataset['theme'] ?? (DARK.matches ? 'dark' : 'light')) === 'dark'

show(stored(KEY))
if (stored('demo') !== null) page.dataset['demo'] = ''
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-act=theme]') !== null) choose(isDark() ? 'light' : 'dark')
})
// Code in the documents has the address of the service in the place of its variable, which may take a line more. Once parsed and not
// yet drawn; the page's own script comes later and knows the other variables (documents/documents.page.tsx).
document.addEventListener(
  'readystatechange',
  () => {
    for (const code of document.querySelectorAll('div.code code')) {
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
        text.nodeValue = text.nodeValue?.replace(/\$URL\b/g, location.origin) ?? null
    }
  },
  { once: true },
)
// Another tab has chosen.
addEventListener('storage', ({ key }) => {
  if (key === KEY) show(stored(KEY))
})
