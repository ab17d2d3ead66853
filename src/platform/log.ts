// Writes the Worker's own log lines, which are not an organisation's log. Only members of LogLine can be logged: never a letter, a
// prompt, a completion, a key, a cookie or an e-mail address.

export type LogLine = {
  level: 'info' | 'warn' | 'error'
  event:
    | 'request'
    | 'unexpected_error'
    | 'misconfigured'
    | 'chat_ended'
    | 'provider_refused_access'
    | 'export_ended'
    | 'submission_failed'
    | 'public_log_failed'
    | 'mail_failed'
    | 'upkeep_failed'
    | 'reader_model_retires'
    | 'reader_promise_old'
    | 'identity_provider_failed'
    | 'passkey_refused'
    | 'old_operator_token'
  request_id?: string
  method?: string
  route?: string
  status?: number
  key_id?: string | undefined
  organisation_id?: string | undefined
  person_id?: string | undefined
  outcome?: string | undefined
  /** The name of a witness’s key. */
  witness?: string
  error_code?: string | undefined
  waited_ms?: Record<string, number>
  /** The class and stack frames of an unexpected error. Its message may contain data, so it is not logged. */
  error_class?: string
  thrown_at?: string
  /** What the operator does about it. */
  remedy?: string
  settings?: string
  /** The day on which the provider ends the model, and the days until then. */
  retires_on?: string
  days_left?: number
  /** The day on which the provider's promise about a route was read, and the days since then. */
  read_on?: string
  days_since?: number
  /** The members from here on tell how a chat call ended, and why if it failed. */
  trace_id?: string
  provider?: string
  model?: string
  ended?: string
  error_cause?: string | null
  upstream_status?: number | null
  upstream_request_id?: string | null
  attempts?: number
}

export function log(line: LogLine): void {
  if (line.level === 'error') console.error(JSON.stringify(line))
  else if (line.level === 'warn') console.warn(JSON.stringify(line))
  else console.log(JSON.stringify(line))
}

/** Logs an unexpected error by its class and stack frames. */
export const logUnexpected = (thrown: unknown, requestId: string): void =>
  log({
    level: 'error',
    event: 'unexpected_error',
    request_id: requestId,
    ...describeThrown(thrown),
  })

/** How the message of an object begins that a newer release wrote. */
export const NEWER_OBJECT = 'A newer release wrote this object'

/** What the operator does about errors whose messages begin so. These messages have no data. */
const REMEDIES: Readonly<Record<string, string>> = {
  'D1_ERROR: no such table':
    'The tables of D1 are missing: docs/deploy.md. Locally: npx wrangler d1 migrations apply DB',
  [NEWER_OBJECT]: `${NEWER_OBJECT}. Deploy that release again, or a newer one: docs/from-day-two.md`,
  'Jurisdiction restrictions are not implemented':
    'This runtime has no jurisdictions. To try the settings of a deployment on this machine: npm run rehearse',
}

/** Describes any thrown value by its class and stack frames, without its message. */
export function describeThrown(
  thrown: unknown,
): Pick<LogLine, 'error_class' | 'thrown_at' | 'remedy'> & { outcome?: string } {
  const isError = thrown instanceof Error
  const known = Object.keys(REMEDIES).find((message) => isError && thrown.message.startsWith(message))
  return {
    error_class: isError ? thrown.name : typeof thrown,
    thrown_at: framesOf(thrown),
    ...(known !== undefined && { remedy: REMEDIES[known] ?? '' }),
    ...(known === NEWER_OBJECT && { outcome: 'object_is_newer' }),
  }
}

/** Returns the frames of a stack without its first lines, which repeat the message. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return ''
  return error.stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 4)
    .map((line) => line.trim())
    .join(' < ')
}
