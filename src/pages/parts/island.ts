// Renders a view into the page's island (the element `#island`, which the page's script fills), or in front of the page.
import { render, type ComponentChild } from 'preact'

export function showInIsland(view: ComponentChild): void {
  const island = document.querySelector('#island')
  if (island === null) throw new Error('the page has no island')
  island.replaceChildren()
  render(view, island)
}

/** Renders the view in front of the page. @param view gets a function that removes it again */
export function showInFront(view: (close: () => void) => ComponentChild): void {
  const place = document.createElement('div')
  document.body.append(place)
  const close = (): void => {
    render(null, place)
    place.remove()
  }
  render(view(close), place)
}
