// The names of the shapes that a scan finds, as pages say them within a sentence.
import SHAPE_WORDS from 'virtual:shape-words'
import { withSpaces } from './reword-text.ts'

/** Returns “PPS number” or “date of birth”; a name that is not known has its words apart. */
export const shapeName = (shape: string): string =>
  SHAPE_WORDS.find(({ id }) => id === shape)?.name ?? withSpaces(shape)
