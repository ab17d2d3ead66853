// Letters for readings by the hundred: the invented ones of data/examples.json that may be read.
import { listExamples } from '../../src/referral/examples/examples.ts'

/** Every example letter that holds no identifier, in the order of the file. */
export const readableLetters = (): string[] =>
  listExamples()
    .filter(({ expected }) => expected.status === 200)
    .map(({ text }) => text)
