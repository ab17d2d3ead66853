// What two rules look for: the shapes of personal identifiers in groups, and wordings of prompt
// injection, which have none.
import SHAPE_WORDS from 'virtual:shape-words'
import { capitalised } from '../../text/reword-text.ts'
import { shapeName } from '../../text/shape-names.ts'

/** Returns the name of a shape or of a wording at the beginning of a line, such as “Date of birth”. */
export const lineName = (id: string): string => capitalised(shapeName(id))

/** Returns the ids group by group. Ids without a group come last, under ''. */
export function groupedShapes(ids: readonly string[]): readonly (readonly [group: string, ids: readonly string[]])[] {
  const known = SHAPE_WORDS.filter(({ id }) => ids.includes(id))
  const others = ids.filter((id) => !known.some((shape) => shape.id === id)).map((id) => ({ id, group: '' }))
  const groups = Map.groupBy([...known, ...others], ({ group }) => group)
  return [...groups].map(([group, shapes]) => [group, shapes.map(({ id }) => id)])
}
