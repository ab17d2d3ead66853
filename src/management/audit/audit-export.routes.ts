// The routes that export an organisation's log entries, as JSON lines that can be verified offline or CSV, and list the exports that were
// made.
import * as z from 'zod'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { type AccessControl, assertNotLinkedTo } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { noSigningKey } from '../../evidence/records/configured-keys.ts'
import { dateOf, type Clock } from '../../platform/time.ts'
import { AppError } from '../../platform/errors.ts'
import { RATE_HEADERS_IF_CHECKED } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { LATEST_ACTS_KEPT } from '../../policies/organisation-limits.policy.ts'
import { LONGEST_RETENTION_DAYS } from '../../policies/tier.policy.ts'
import { readDateRange } from '../date-range.ts'
import { FILE_NAME_HEADER, sendExport } from '../send-export.ts'
import {
  AuditLogsQuerySchema,
  AuditExportLineSchema,
  MadeExportsQuerySchema,
  MadeExportsSchema,
} from './audit-export.schema.ts'
import type { AuditExportService } from './audit-export.service.ts'
import { demoFileName } from '../../platform/names.schema.ts'

export function auditExportRoutes(service: AuditExportService, access: AccessControl, clock: Clock): Api {
  const { api, openapi } = managementOperations(access, {})

  openapi(
    {
      route: 'GET /api/compliance/audit-logs',
      tags: ['Audit'],
      security: MANAGEMENT_SECURITY,
      operationId: 'exportAuditLogs',
      summary: 'Export the ledger',
      description:
        'Exports the entries of the organisation’s ledger of some days. Every leaf of the log between the first entry and the last of these days, in its order: a head with the signed tree, a line for ' +
        'each leaf, and a last line with a proof of all of them, which countersign-verify checks without asking anybody. An export ' +
        'without its last line is not whole. An organisation makes one at a time; its beginning and its end are entries of the ledger.',
      permission: 'audit:read',
      proof: 'fresh',
      query: AuditLogsQuerySchema,
      answers: {
        200: () => ({
          description: 'The entries, as a file.',
          content: {
            'application/x-ndjson': { schema: AuditExportLineSchema() },
            'text/csv': { schema: z.string() },
          },
          headers: {
            ...RATE_HEADERS_IF_CHECKED,
            ...FILE_NAME_HEADER,
          },
        }),
      },
      errors: ['origin_refused', 'conflict'],
    },
    async ({ c, caller: who, sent }) => {
      assertNotLinkedTo(c, who.manager, 'start an export')
      const { format, cursor, ...dates } = sent.query()
      const days = readDateRange(dates, clock(), LONGEST_RETENTION_DAYS)
      const { id: organisationId } = who.organisation
      const name = demoFileName(organisationId, `countersign-audit-${dateOf(days.first)}-${dateOf(days.last)}`)
      const wanted = { days, format, cursor: cursor === undefined ? null : Number(cursor) }
      return sendExport(c, { organisationId, name, format, clock }, async () => {
        const started = await reachOrganisation(c, () => service.exportAuditLogs(c, who, wanted))
        if (started.outcome !== 'begun') throw EXPORT_ERRORS[started.outcome]()
        return started.texts
      })
    },
  )

  openapi(
    {
      route: 'GET /api/compliance/exports',
      tags: ['Audit'],
      security: MANAGEMENT_SECURITY,
      operationId: 'listExports',
      summary: 'List the files made',
      description: `Lists the latest exports of the ledger, of listed calls, of medical receipts and of the organisation’s data: who made them, when, and the hash of the file. The service stores no file. Newest first, at most ${LATEST_ACTS_KEPT} of each kind.`,
      permission: 'audit:read',
      query: MadeExportsQuerySchema,
      answers: { 200: [MadeExportsSchema, 'The exports.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { limit } = sent.query()
      return c.json(await reachOrganisation(c, () => service.listExports(who, limit)))
    },
  )

  return api
}

export const EXPORT_ERRORS = {
  running: () =>
    new AppError(
      'conflict',
      'Another export of audit entries is running. Wait until it ends; an abandoned one ends after five minutes.',
    ),
  not_of_these_days: () =>
    new AppError(
      'invalid_request',
      'This cursor does not belong to an export of these days. Send next_cursor from its last line, with the same start and end.',
      { param: 'cursor', fields: [{ path: 'cursor', rule: 'next_cursor of an export of these days' }] },
    ),
  no_key: noSigningKey,
}
