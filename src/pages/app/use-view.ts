// What lists depend on beside their rows: the names that this person may see, and the zone of times that they chose.
import { useMemo } from 'preact/hooks'
import type { SavedViews, View } from '../parts/grid/columns.tsx'
import { useTimeFormat } from '../parts/times.view.tsx'
import type { NameOf } from './key-and-person-names.view.tsx'
import { capitalised } from '../text/reword-text.ts'
import { callApi, inOrganisation, session } from './session.ts'

const nameless: NameOf = (id) => id

const saved: SavedViews = {
  load: (signal) => callApi('GET', '/api/views', signal && { signal }),
  replace: (views) => callApi('PUT', '/api/views', { body: { views } }),
  linkTo: inOrganisation,
}

/** @param nameOf the same function as long as the names are the same: with another one, rows are drawn anew */
export function useView(nameOf: NameOf = nameless): View {
  const isLocal = useTimeFormat() === 'local'
  return useMemo(() => {
    const nameOrNull = (id: string): string | null => {
      const { user } = session()
      // “You” is nobody to those who get a file of the list, or see it on paper.
      if (id === user.id) return user.name
      const name = nameOf(id)
      if (name === id) return null
      return id === 'operator' ? capitalised(name) : name
    }
    return { nameOf: nameOrNull, isLocal, saved }
  }, [nameOf, isLocal])
}
