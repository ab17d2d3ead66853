// The names of the shapes that a scan finds, as pages say them within a sentence.
import SHAPE_WORDS from 'virtual:shape-words'
import { formatNumber } from './format.ts'
import { listed, withSpaces } from './reword-text.ts'

/** Returns “PPS number” or “date of birth”; a name that is not known has its words apart. */
export const shapeName = (shape: string): string =>
  SHAPE_WORDS.find(({ id }) => id === shape)?.name ?? withSpaces(shape)

/** Returns “PPS number (1) and date (2)”; empty if none was found. */
export const countedShapes = (found: Readonly<Record<string, number>>): string =>
  listed(Object.entries(found).map(([shape, count]) => `${shapeName(shape)} (${formatNumber(count)})`))
