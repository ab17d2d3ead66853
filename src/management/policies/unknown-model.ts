// Refuses a policy that names an unknown model, because it would allow less than its author meant.
import { AppError } from '../../platform/errors.ts'
import { findUnknownModel, type PolicyDocument } from '../../policies/document/policy-document.ts'

/** Throws `invalid_request`. `at`: the path of the document in the body. */
export function refuseUnknownModel(document: PolicyDocument, at = ''): void {
  const unknown = findUnknownModel(document)
  if (unknown === null) return
  const path = at + unknown
  throw new AppError(
    'invalid_request',
    'The policy names a model that is not in the catalogue. GET /v1/models lists those that are.',
    { param: path, fields: [{ path, rule: 'a model of the catalogue' }] },
  )
}
