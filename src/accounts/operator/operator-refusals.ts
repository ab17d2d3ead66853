// What the operator is answered where a key cannot be as it was asked for.
import { newKeyError } from '../../keys/new-key-error.ts'
import type { KeyIssued } from './operator.service.ts'

type Issued = Extract<KeyIssued, { outcome: 'created' }>

/** Throws `invalid_request` where the key would be over already, or its limits above its plan's. */
export function assertIssued(issued: KeyIssued): asserts issued is Issued {
  if (issued.outcome !== 'created') throw newKeyError(issued.reason)
}
