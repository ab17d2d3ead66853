// Declares operations for signed-in people and for managers of an organisation: which callers each admits, with which errors.
import type { AppContext } from '../../platform/context.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { createOperations, type OperationDescription, type Operations } from '../../platform/operations.ts'
import { RATE_HEADERS_IF_CHECKED } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import type { Session } from '../people/sessions.store.ts'
import { ACCESS_ERROR_CODES, organisationHeader, SESSION_ERROR_CODES } from './access.schema.ts'
import type { Access, AccessControl, AccessRule } from './access-control.ts'
import type { Proof } from './session-proof.policy.ts'

type ManagementRule = AccessRule & {
  /** Throws `tier_required` if the organisation's tier does not have the feature. */
  requireTier?: (c: AppContext, access: Access) => Promise<void>
}

/** Creates operations on one organisation, for members with the permission and keys with the scope `manage`. */
export const managementOperations = (
  access: AccessControl,
  shared: OperationDescription,
): Operations<Access, ManagementRule> =>
  createOperations(
    {
      codes: ({ requireTier, proof }): readonly ErrorCode[] => [
        ...ACCESS_ERROR_CODES,
        ...(requireTier === undefined ? [] : (['tier_required'] as const)),
        ...proofCodes(proof),
      ],
      changeCodes: ['origin_refused'],
      headers: organisationHeader,
      answerHeaders: RATE_HEADERS_IF_CHECKED,
      admit: async (c, { requireTier, ...rule }) => {
        const granted = await access.requireAccess(c, rule)
        await requireTier?.(c, granted)
        return granted
      },
    },
    shared,
  )

/** Creates operations for a signed-in person, who may be a member of no organisation. */
export const sessionOperations = (
  access: AccessControl,
  shared?: OperationDescription,
  api?: Api,
): Operations<Session, { proof?: Proof }> =>
  createOperations(
    {
      codes: ({ proof }): readonly ErrorCode[] => [...SESSION_ERROR_CODES, ...proofCodes(proof)],
      changeCodes: ['origin_refused'],
      admit: (c, { proof }) => access.requireSession(c, proof),
    },
    shared,
    api,
  )

const proofCodes = (proof: Proof | undefined): ErrorCode[] => (proof === undefined ? [] : ['fresh_sign_in_required'])
