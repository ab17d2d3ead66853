// What two rules look for, in the order in which people read it: the shapes of personal identifiers in groups, and wordings of prompt
// injection, which have none.
import { SHAPE_GROUPS, SHAPE_TABLE } from '../../../scanning/identifiers/shapes/shape-table.ts'
import { capitalised } from '../../text/reword-text.ts'
import { shapeName } from '../../text/shape-names.ts'

/** Returns the name of a shape or of a wording at the beginning of a line, such as “Date of birth”. */
export const lineName = (id: string): string => capitalised(shapeName(id))

/** Returns the ids group by group. Ids without a group come last, under ''. */
export function groupedShapes(ids: readonly string[]): readonly (readonly [group: string, ids: readonly string[]])[] {
  const groups = Object.entries(SHAPE_GROUPS).map(([group, heading]) => {
    const own = SHAPE_TABLE.filter((row) => row.group === group).map(({ id }): string => id)
    return [heading, own.filter((id) => ids.includes(id))] as const
  })
  const grouped = new Set(groups.flatMap(([, own]) => own))
  return [...groups, ['', ids.filter((id) => !grouped.has(id))] as const].filter(([, own]) => own.length > 0)
}
