// Cause and remedy of every error code. docs/errors.md is made from it (test/architecture/error-codes.test.ts). The Worker does not
// import it.
import type { ErrorCode } from './errors.ts'

type ErrorRemedy = {
  /** Markdown, one or two sentences. */
  cause: string
  /** Markdown, what the caller can do. */
  remedy: string
}

export const ERROR_REMEDIES: Readonly<Record<ErrorCode, ErrorRemedy>> = {
  invalid_api_key: {
    cause: 'The key is missing, mistyped, revoked, expired or for the other service.',
    remedy:
      'Send `authorization: Bearer KEY` (or `x-api-key: KEY`): `vk_…` for the referral service, `aqta_…` or `sk-aqta-…` for the gateway.',
  },
  session_required: {
    cause: 'You are not signed in, or your session has ended.',
    remedy: 'Sign in, or send a key with the scope `manage` if the route allows keys.',
  },
  invalid_credentials: {
    cause: 'The e-mail address, the password or the operator’s token is wrong.',
    remedy: 'Try again, or set a new password by mail.',
  },
  fresh_sign_in_required: {
    cause: 'The request needs a proof that it is you, of the last 15 minutes.',
    remedy: 'Confirm by one of the `methods` (`POST /api/auth/confirm`), or sign in again; then repeat it.',
  },
  second_factor_required: {
    cause: 'You have a second factor, or your organisation requires one, and this session has not proved it.',
    remedy: 'Confirm by one of the `methods`; where it names none, set one up in the dashboard.',
  },
  origin_refused: {
    cause:
      'A change came from another site or without the header `origin`, or a link started an export or another logged read.',
    remedy: 'Use the service’s pages. A program sends the service’s own address as `origin`.',
  },
  role_required: {
    cause: 'Your role, your key or your part in the request does not allow this, or sign-up is closed here.',
    remedy: 'The message says who can do it ([roles](roles.md)).',
  },
  scope_required: {
    cause: 'The key does not have the scope that the request needs, or the readers are outside its `data_region`.',
    remedy: 'Use or make a key that has it, or a wider region.',
  },
  tier_required: {
    cause: 'The organisation’s tier does not include this.',
    remedy: 'The message names the tiers that do. The operator sets the tier.',
  },
  organisation_closing: {
    cause: 'The organisation is scheduled for erasure.',
    remedy: 'An owner can cancel the erasure until it begins ([erase data](erase-data.md)).',
  },
  missing_parameter: {
    cause: 'A required parameter is missing.',
    remedy: 'Send the one that `param` names.',
  },
  invalid_request: {
    cause:
      'The request is not JSON, has an unknown member, a wrong value, or something that the model or provider cannot use.',
    remedy: 'Correct what `param` or `fields` name. A body can have 50,000 members and list entries, and 100 levels.',
  },
  text_missing: {
    cause: 'The letter is missing or blank.',
    remedy: 'Send it as `text`.',
  },
  text_too_long: {
    cause: 'The letter has over 4,000 characters.',
    remedy: 'Send the part that says what the referral is for.',
  },
  not_an_example: {
    cause: 'A sandbox key reads only the example letters.',
    remedy: 'Send one from `GET /v1/examples` unchanged, or use a live key.',
  },
  identifier_found: {
    cause:
      'The letter seems to contain an identifier of a person. It was not read or stored; the refusal, its time and the shapes were recorded.',
    remedy: 'Remove what `identifiers` lists, by shape and position in code points ([identifiers.md](identifiers.md)).',
  },
  unknown_action: {
    cause: 'There is no such action. The refusal was recorded.',
    remedy: 'Send one of the actions that the message lists.',
  },
  payload_too_large: {
    cause: 'The body is over its limit: a letter 64 KiB, a model call 4 MiB, most others 16 KiB.',
    remedy: 'Send less. The message has the limit.',
  },
  unsupported_media_type: {
    cause: 'The body is not `application/json` in UTF-8, or it is compressed.',
    remedy: 'Send uncompressed JSON in UTF-8.',
  },
  method_not_allowed: {
    cause: 'The address does not accept this method.',
    remedy: 'Use one that the header `allow` lists.',
  },
  not_found: {
    cause: 'There is nothing with this id or at this address, or it belongs to another organisation.',
    remedy: 'Check the id or the path.',
  },
  model_not_found: {
    cause: 'There is no model with this name, or no more.',
    remedy: 'Use the one that the message names, or one that `GET /v1/models` lists.',
  },
  specialty_not_published: {
    cause: 'The published file has no specialty with this name.',
    remedy: 'Use a name that `GET /v1/specialties` lists.',
  },
  conflict: {
    cause: 'The current state does not allow this: somebody changed it, it is already done, or it is running.',
    remedy: 'Read the message and the current state, then decide again.',
  },
  idempotency_conflict: {
    cause: 'The `idempotency-key` was used for a different request.',
    remedy: 'Use a new key for each request ([repeat-calls.md](repeat-calls.md)).',
  },
  model_not_allowed: {
    cause:
      'The tier does not include the model, or the settings do not enable its provider. The call was recorded and reached no provider.',
    remedy: 'Choose another model, or ask an owner or the operator.',
  },
  policy_blocked: {
    cause:
      'A rule of the organisation’s policy blocked the call ([set-policy.md](set-policy.md)). It was recorded and reached no provider.',
    remedy: 'Change the request as the message says. The same request is blocked again.',
  },
  answer_blocked: {
    cause:
      'The model’s answer has a value that the policy does not let out (`pii_scan.answers`, [block-personal-data.md](block-personal-data.md)). It was charged.',
    remedy: 'Change the request, or ask an administrator about the policy. The same request may be stopped again.',
  },
  approval_required: {
    cause: 'A person must approve this call first ([ask-for-approval.md](ask-for-approval.md)).',
    remedy: 'After the approval, send the same request once with `x-aqta-approval: ID`, from `approval_id`.',
  },
  quota_exceeded: {
    cause: 'The month’s calls or a budget of the organisation or the key are used up.',
    remedy: 'Wait as long as `retry-after` says, or ask an owner or the operator for more.',
  },
  rate_limit_exceeded: {
    cause: 'The key, the organisation, the provider or the network made too many calls or attempts.',
    remedy: 'Wait as long as `retry-after` says.',
  },
  loop_detected: {
    cause: 'One key repeated the same request, or the same few requests, too often. Nothing was sent to a provider.',
    remedy:
      'Stop the program, find out why it repeats itself, and wait as long as `retry-after` says. Suites need a key for evaluation.',
  },
  provider_error: {
    cause: 'The provider failed or refused this service.',
    remedy:
      'With `retry-after`, nothing was sent: send it again. With `x-should-retry: false`, work may be charged: read the message first.',
  },
  provider_timeout: {
    cause: 'The provider did not answer in time, or not within `x-aqta-deadline-ms`. Its work may be charged.',
    remedy: 'Repeat the call only if that is safe, or allow more time.',
  },
  service_unavailable: {
    cause:
      'Something that the request needs is unavailable, or the service is busy with large bodies, answers or scans.',
    remedy: 'Wait as long as `retry-after` says, or send less. Without the header, read the message.',
  },
  internal_error: {
    cause: 'The service failed in an unexpected way.',
    remedy: 'Try again as the message says. If it happens again, tell the operator the `request_id`.',
  },
}
