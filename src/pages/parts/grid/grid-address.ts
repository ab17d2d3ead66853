// What a person chose of a list: its columns and how dense it is. Both are in the address, so that a copied link shows the same list.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { changeUrlParameters, useUrlParameters } from '../url-parameters.view.tsx'
import { isAlwaysDrawn, type Column, type SavedViews } from './columns.tsx'

type Where = { [Name in 'from' | 'phone']: Column<unknown>[Name] | undefined }

/** What the menu of a list is about. */
export type MenuProps = {
  /** The name of its file. */
  file: string
  tools: ((close: () => void) => ComponentChildren) | undefined
  saved: SavedViews | undefined
  columns: readonly (Pick<Column<unknown>, 'id' | 'head'> & Where & { isShown: boolean })[]
  isDense: boolean
  setDense: (isDense: boolean) => void
  toggle: (id: string) => void
  /** Returns what is shown as texts, the heads first. */
  texts: () => readonly (readonly string[])[]
}

/** @param isChosen false for a list whose columns nobody chooses: a page has one other list at most */
export function useChosenColumns<Row>(all: readonly Column<Row>[], isChosen: boolean) {
  const [parameters] = useUrlParameters()
  const named = isChosen ? parameters.get('cols') : null
  const shown = useMemo(() => {
    const ids = named?.split(',') ?? []
    const known = all.filter(({ id }) => ids.includes(id))
    if (known.length === 0) return all.filter(({ isOptional }) => isOptional !== true)
    // An address from a wider list may name only columns that a narrow one does not draw.
    return known.some(isAlwaysDrawn) ? known : [...all.filter(isAlwaysDrawn).slice(0, 1), ...known]
  }, [all, named])
  return {
    shown,
    isDense: isChosen && parameters.get('dense') === 'yes',
    setDense: (isDense: boolean) => changeUrlParameters({ dense: isDense ? 'yes' : '' }),
    toggle: (id: string) => {
      const next = all.filter((one) => (one.id === id) !== shown.includes(one))
      const isUsual = all.every((one) => next.includes(one) === (one.isOptional !== true))
      if (next.length > 0) changeUrlParameters({ cols: isUsual ? '' : next.map((one) => one.id).join(',') })
    },
  }
}
