// Where a page for anybody has its island.
import { render, type ComponentChild } from 'preact'

export function showInIsland(view: ComponentChild): void {
  const island = document.querySelector('#island')
  if (island === null) throw new Error('the page has no island')
  render(view, island)
}
