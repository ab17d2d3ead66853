// Sends an export as a file download that is written while the caller reads it. Also makes the error for too many exports.
import type { AppContext } from '../platform/context.ts'
import type { Clock } from '../platform/time.ts'
import { sendText } from '../platform/download.ts'
import { AppError } from '../platform/errors.ts'
import type { OrganisationId } from '../platform/ids.ts'

const CONTENT_TYPES = {
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

/** Declares the file name header in OpenAPI. */
export const FILE_NAME_HEADER = {
  'content-disposition': { description: 'A file name.', required: true, schema: { type: 'string' as const } },
}

type ExportFile = { organisationId: OrganisationId; name: string; format: keyof typeof CONTENT_TYPES; clock: Clock }

/**
 * Sends the file. A HEAD request starts no export and counts against no limit.
 * @see https://www.rfc-editor.org/rfc/rfc6266 for the header with the file name
 */
export async function sendExport(
  c: AppContext,
  { organisationId, name, format, clock }: ExportFile,
  start: () => Promise<AsyncIterable<string>>,
): Promise<Response> {
  const headers = {
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
    'cache-control': 'no-store',
  }
  if (c.req.method === 'HEAD') return c.body(null, 200, headers)
  const requestId = c.get('requestId')
  const texts = await start()
  const waitUntil = (task: Promise<void>): void => c.executionCtx.waitUntil(task)
  return c.body(sendText(texts, { requestId, organisationId, clock, waitUntil }), 200, headers)
}

export const tooManyExports = (retryAfterSeconds: number): AppError =>
  new AppError(
    'rate_limit_exceeded',
    'You have made five exports in an hour, or your organisation ten, which is the limit. Wait as long as retry_after says.',
    { retryAfterSeconds },
  )
