// The example letters, for commands and tests.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createExamples } from '../src/referral/examples/examples.ts'

export const EXAMPLES = createExamples(
  JSON.parse(readFileSync(join(import.meta.dirname, '../data/examples.json'), 'utf8')),
)
