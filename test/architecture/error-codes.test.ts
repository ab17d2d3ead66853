// Makes docs/errors.md from the error codes: status, cause and remedy of each. The introduction is written by hand.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_REMEDIES } from '../../src/platform/error-remedies.ts'
import { ERROR_TABLE, type ErrorCode } from '../../src/platform/errors.ts'

const PAGE = 'docs/errors.md'

const SECTIONS: Readonly<Record<string, readonly ErrorCode[]>> = {
  Caller: [
    'invalid_api_key',
    'session_required',
    'invalid_credentials',
    'fresh_sign_in_required',
    'second_factor_required',
    'origin_refused',
    'role_required',
    'scope_required',
    'tier_required',
    'organisation_closing',
  ],
  Request: [
    'missing_parameter',
    'invalid_request',
    'text_missing',
    'text_too_long',
    'not_an_example',
    'identifier_found',
    'unknown_action',
    'payload_too_large',
    'unsupported_media_type',
    'method_not_allowed',
  ],
  State: ['not_found', 'model_not_found', 'specialty_not_published', 'conflict', 'idempotency_conflict'],
  'Policy and limits': [
    'model_not_allowed',
    'policy_blocked',
    'answer_blocked',
    'approval_required',
    'quota_exceeded',
    'rate_limit_exceeded',
    'loop_detected',
  ],
  Failures: ['provider_error', 'provider_timeout', 'service_unavailable', 'internal_error'],
}

function describe(code: ErrorCode): string {
  const { cause, remedy } = ERROR_REMEDIES[code]
  return `### \`${code}\`\n\n**${ERROR_TABLE[code].status}.** ${cause}\n\n**Remedy:** ${remedy}\n`
}

it('every code is in one section', () => {
  expect(Object.values(SECTIONS).flat().toSorted()).toEqual(Object.keys(ERROR_TABLE).toSorted())
})

it(`${PAGE} has the status, the cause and the remedy of every code`, async () => {
  const [introduction = ''] = readFileSync(PAGE, 'utf8').split(/^## /m, 1)
  const sections = Object.entries(SECTIONS).map(([title, codes]) => `## ${title}\n\n${codes.map(describe).join('\n')}`)
  await expect(`${introduction}${sections.join('\n')}`).toMatchFileSnapshot(`../../${PAGE}`)
})
