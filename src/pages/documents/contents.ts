// Marks the heading in view in the contents beside a document, and shows the open document in the side bar.

/** A heading counts as in view once it is in this upper part of the window. */
const UPPER_PART = 0.4
/** The header covers this much of the window, in pixels. */
const HEADER = 60

export function followScroll(): void {
  const title = document.querySelector('h1')
  const links = Array.from(document.querySelectorAll<HTMLAnchorElement>('nav.guide-aside a'))
  const places = links.flatMap(({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))) ?? [])
  if (title === null || places.length === 0) return
  const mark = (): void => {
    const line = innerHeight * UPPER_PART
    // The first link leads to the beginning, which is in view as long as the title is.
    const isAtBeginning = title.getBoundingClientRect().bottom > HEADER
    const at = isAtBeginning ? 0 : places.findLastIndex((place) => place.getBoundingClientRect().top < line)
    for (const [index, link] of links.entries()) {
      if (index === at) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  // Each heading that crosses the line is reported, in both directions.
  const observer = new IntersectionObserver(mark, { rootMargin: `-${HEADER}px 0px -${(1 - UPPER_PART) * 100}% 0px` })
  for (const heading of [title, ...places.slice(1)]) observer.observe(heading)
}

/** Scrolls the side bar, and not the page, to the link of the open document. */
export function showOpenDocument(): void {
  const sideBar = document.querySelector('.guide-nav')
  const open = sideBar?.querySelector('.no-narrow [aria-current=page]')
  if (sideBar === null || open === null || open === undefined) return
  const { top, height } = open.getBoundingClientRect()
  const space = sideBar.getBoundingClientRect()
  if (top + height > space.bottom) sideBar.scrollTop += top - space.top - space.height / 2
}
