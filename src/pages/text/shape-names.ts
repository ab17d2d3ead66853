// The names of the shapes that a scan finds, as pages say them within a sentence.
import { SHAPE_TABLE } from '../../scanning/identifiers/shapes/shape-table.ts'
import { withSpaces } from './reword-text.ts'

const NAMES: ReadonlyMap<string, string> = new Map(SHAPE_TABLE.map(({ id, name }) => [id, name]))

/** Returns “PPS number” or “date of birth”; a name that is not known has its words apart. */
export const shapeName = (shape: string): string => NAMES.get(shape) ?? withSpaces(shape)
