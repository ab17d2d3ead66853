// The example letters as the tests send them.
import { EXAMPLES } from '../../../scripts/example-letters.ts'
import type { Example } from '../../../src/referral/examples/examples.ts'

export function exampleLetter(decision: 'yes' | 'ask'): Example {
  const found = EXAMPLES.list.find(({ action, expected }) => action === null && expected.decision === decision)
  if (found === undefined) throw new Error(`no example letter is expected to be answered ${decision}`)
  return found
}
