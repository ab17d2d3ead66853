// The route with which members and keys download the organisation's data that they may see, and their own.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import {
  type AccessControl,
  assertNotLinkedTo,
  type Manager,
  roleOrKeyOf,
} from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readQuery } from '../../platform/read-request.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { organisationGoneError } from '../../organisation/refusal-errors.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import type { ExportService, ExportRequest } from './export.service.ts'
import { mayExport, exportableSections, FORMATS, SECTIONS } from './export-sections.policy.ts'
import { FILE_NAME_HEADER, sendExport, tooManyExports } from '../send-export.ts'
import { KeySchema } from '../../keys/key.schema.ts'
import { ApprovalSchema } from '../../organisation/approvals/approval-response.schema.ts'
import { SettingsSchema } from '../settings/settings.schema.ts'

const ExportQuerySchema = once(() =>
  z.object({
    format: z.enum(FORMATS).default('json'),
    section: z.enum(SECTIONS).optional().meta({
      description: 'Only this; in CSV a table of its own. Where it is not sent: all that the caller may have.',
    }),
  }),
)

const list = once(() => z.array(z.looseObject({ id: z.union([z.string(), z.int()]), object: z.string() })))

const ExportSchema = once(() =>
  z
    .strictObject({
      object: z.literal('export'),
      created_at: z.iso.datetime(),
      organisation_id: z.string(),
      request_id: z.string(),
      tree_size: z.int().meta({
        description: 'Entries of the organisation’s ledger that the export goes up to; its own is the last of them.',
      }),
      sections: z.array(z.enum(SECTIONS)),
      account: list().optional(),
      organisation: z.looseObject({ id: z.string(), object: z.literal('organisation') }).optional(),
      members: list().optional(),
      keys: z.array(KeySchema()).optional(),
      settings: SettingsSchema().optional(),
      notifications: list().optional(),
      policies: list().optional(),
      approvals: z.array(ApprovalSchema()).optional(),
      statements: list().optional(),
      anomalies: list().optional(),
      usage: list().optional(),
      audit: list().optional(),
      receipts: list().optional(),
      unreadable_entries: z.int().meta({ description: 'Entries that should be there and cannot be read.' }),
      complete: z.boolean().meta({
        description: 'The last member: whether all of it is there. An export that ends before it was broken off.',
      }),
    })
    .meta({ id: 'Export' }),
)

const whole = once(() =>
  managementJsonResponse(ExportSchema(), 'The data, as a file: whole where it ends by saying so.'),
)

export function exportRoutes(service: ExportService, access: AccessControl, clock: Clock): Api {
  const { api, openapi } = managementOperations(access, {})

  openapi(
    {
      route: 'GET /api/settings/export',
      tags: ['Settings'],
      security: MANAGEMENT_SECURITY,
      operationId: 'exportData',
      summary: 'Export all data',
      description: 'Exports all data of the organisation that the caller may have, and the caller’s own.',
      permission: 'organisation:export',
      proof: 'fresh',
      isOwn: (c) => c.req.query('section') === 'account',
      query: ExportQuerySchema,
      answers: {
        200: () => ({
          ...whole(),
          content: { ...whole().content, 'text/csv': { schema: z.string() } },
          headers: {
            ...whole().headers,
            ...FILE_NAME_HEADER,
          },
        }),
      },
      errors: ['origin_refused'],
    },
    async ({ c, caller: who }) => {
      assertNotLinkedTo(c, who.manager, 'start an export')
      const wanted = readExportQuery(c)
      assertMayExport(who.manager, wanted)
      const date = new Date(clock()).toISOString().slice(0, 10)
      const name = `countersign-${wanted.section ?? 'export'}-${date}`
      const file = { organisationId: who.organisation.id, name, format: wanted.format, clock }
      return sendExport(c, file, async () => {
        const started = await reachOrganisation(c, () => service.exportData(who, wanted, c.get('requestId')))
        if (started.outcome === 'erased') throw organisationGoneError()
        if (started.outcome === 'too_many') throw tooManyExports(started.retryAfterSeconds)
        return started.texts
      })
    },
  )

  return api
}

function readExportQuery(c: AppContext): ExportRequest {
  const { format, section = null } = readQuery(c, ExportQuerySchema())
  return { format, section }
}

function assertMayExport(manager: Manager, { section }: ExportRequest): void {
  const who = roleOrKeyOf(manager)
  if (section === null || mayExport(who, section)) return
  const theirs = exportableSections(who).join(', ')
  const whose = who === 'key' ? 'A key' : `The role ${who}`
  throw new AppError('role_required', `${whose} cannot export the section ${section}. Choose one of ${theirs}.`, {
    param: 'section',
  })
}
