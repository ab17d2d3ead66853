// The keys of a list: j and k, arrows, Home and End move between rows, Enter opens the row that has the focus, x selects it. In a drawer
// j and k step to the next row.
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { areSingleKeysOff, isPlain, isTyping } from '../../search/open-search.ts'

const MOVES: ReadonlyMap<string, number> = new Map([
  ['j', 1],
  ['ArrowDown', 1],
  ['k', -1],
  ['ArrowUp', -1],
  ['Home', -Infinity],
  ['End', Infinity],
])

const isBox = (target: EventTarget | null): boolean => target instanceof HTMLInputElement && target.type === 'checkbox'

/** True for a key that is not typed into a field, nor switched off. */
const isHeard = (event: KeyboardEvent): boolean =>
  isPlain(event) && (isBox(event.target) || !isTyping(event.target)) && (event.key.length > 1 || !areSingleKeysOff())

function useKeys(onKey: (event: KeyboardEvent) => void): void {
  useLayoutEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

/** @param onSelect called with the key of the row that has the focus */
export function useRowKeys(root: RefObject<HTMLElement | null>, onSelect?: (key: string) => void): void {
  useKeys((event) => {
    const { key } = event
    const grid = root.current
    if (grid === null || !isHeard(event)) return
    if (document.querySelector('dialog[open], :popover-open:not(.side)') !== null) return
    const row = document.activeElement?.closest<HTMLElement>('[data-row]') ?? null
    const isInside = row !== null && grid.contains(row)
    if (key === 'x' && isInside) onSelect?.(row.dataset['row'] ?? '')
    const by = MOVES.get(key)
    // Other keys scroll the page until a row has the focus; j and k begin with the first list of the page.
    if (by === undefined || (!isInside && (key.length > 1 || document.querySelector('[data-grid]') !== grid))) return
    const rows = [...grid.querySelectorAll<HTMLElement>('[data-row]')]
    const from = isInside ? rows.indexOf(row) : by > 0 ? -1 : rows.length
    const to = rows[Math.min(Math.max(from + by, 0), rows.length - 1)]
    event.preventDefault()
    const [link = to?.querySelector('input')] = to?.querySelectorAll<HTMLElement>('a, button') ?? []
    link?.focus({ preventScroll: true })
    to?.scrollIntoView({ block: 'nearest' })
  })
}

/** Steps in a drawer. @param step called with 1 for the next row of the list, -1 for the one before */
export function useStepKeys(step: (by: 1 | -1) => void): void {
  useKeys((event) => {
    if (!isHeard(event) || (event.key !== 'j' && event.key !== 'k')) return
    step(event.key === 'j' ? 1 : -1)
  })
}
