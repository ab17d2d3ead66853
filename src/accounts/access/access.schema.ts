// Security schemes, error codes and headers that the API description of account and management routes shares.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { errorSchemaWith } from '../../platform/responses.ts'
import { CONFIRMING } from './session-proof.policy.ts'

export const SESSION_SECURITY = [{ session: [] }]
export const MANAGEMENT_SECURITY = [{ session: [] }, { managementKey: [] }]

/** The error codes of a GET that needs a session: those of `requireSession`, and `internal_error`. */
export const SESSION_ERROR_CODES = [
  'invalid_request',
  'session_required',
  'internal_error',
] as const satisfies ErrorCode[]

export const ACCESS_ERROR_CODES = [
  ...SESSION_ERROR_CODES,
  'missing_parameter',
  'invalid_api_key',
  'second_factor_required',
  'scope_required',
  'role_required',
  'organisation_closing',
  'not_found',
  'rate_limit_exceeded',
  'service_unavailable',
] as const satisfies ErrorCode[]

/** The request headers of a route that `requireAccess` guards. */
export const organisationHeader = once(() =>
  z.object({
    'x-aqta-organisation': z.string().optional().meta({
      description: 'The id of the organisation, for a person who is a member of several. A key can name only its own.',
    }),
  }),
)

const proofError = once(() =>
  errorSchemaWith('ProofError', {
    methods: z.array(z.enum(CONFIRMING)).optional().meta({
      description: 'What you can confirm by (`provider`: where you sign in). None: set a second factor up.',
    }),
    full: z.boolean().optional().meta({
      description: 'True: a code of an app is enough only with the password.',
    }),
  }),
)

/** The error bodies of the codes that ask for a proof. */
export const PROOF_ERROR_BODIES: Partial<Record<ErrorCode, () => z.ZodType>> = {
  fresh_sign_in_required: proofError,
  second_factor_required: proofError,
}
