// Renders a view into the page's island (the element `#island`, which the page's script fills), or in front of the page.
import { render, type ComponentChild } from 'preact'

export const showInIsland = (view: ComponentChild): void => showIn('#island', view)

const filled = new Set<string>()

/** Renders the view into the element, instead of what the page has there. Call it again to change what is shown. */
export function showIn(selector: string, view: ComponentChild): void {
  const place = document.querySelector(selector)
  if (place === null) throw new Error(`the page has no ${selector}`)
  if (!filled.has(selector)) place.replaceChildren()
  filled.add(selector)
  render(view, place)
}

/** Renders the view in front of the page. Returns a function that removes it again. @param view gets that function */
export function showInFront(view: (close: () => void) => ComponentChild): () => void {
  const place = document.createElement('div')
  document.body.append(place)
  const close = (): void => {
    render(null, place)
    place.remove()
  }
  render(view(close), place)
  return close
}
