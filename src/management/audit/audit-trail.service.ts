// Reads a page of an organisation's audit trail as JSON: its calls, with their stored content if requested.
import type { Access } from '../../accounts/access/access-control.ts'
import type { TrailCall, TrailPage, TrailQuery } from '../../organisation/audit/audit-trail.ts'
import { type OpenOrganisation, repeatRead } from '../../organisation/organisation-client.ts'
import type { ContentService } from '../content/content.service.ts'
import type { ContentAbsent } from './audit-trail.schema.ts'
import { hasPlannedContent, presentTrailCall } from './present-trail.ts'

/** The most content of a page, in bytes, because an isolate has little memory. */
const MOST_CONTENT_BYTES = 4 * 1024 * 1024

type TrailRequest = { access: Access; requestId: string }

/** `json`: the entries as JSON, with content byte for byte as it was stored. */
export type TrailAsJson = Omit<TrailPage, 'calls'> & { json: string[] }

type Content = { text: string } | { absent: ContentAbsent }

export type AuditTrailService = ReturnType<typeof createAuditTrailService>

export function createAuditTrailService({ open, content }: { open: OpenOrganisation; content: ContentService }) {
  const read = (access: Access, trailQuery: TrailQuery): Promise<TrailPage> =>
    repeatRead(async (): Promise<TrailPage> => open(access.organisation).audit.readTrail(trailQuery))

  async function readContent(trailRequest: TrailRequest, call: TrailCall): Promise<Content> {
    if (!hasPlannedContent(call)) return { absent: 'not_logged' }
    const found = await content.readContent(trailRequest, call.record.attestation_id)
    switch (found.outcome) {
      case 'read':
        return { text: new TextDecoder().decode(found.plain) }
      case 'none':
        return { absent: found.why }
      case 'object_missing':
        return { absent: 'erased' }
      case 'not_found':
      case 'not_kept':
      case 'unreadable':
      case 'object_damaged':
      case 'storage_failed':
        return { absent: 'unreadable' }
    }
  }

  return {
    async readTrail({ access }: TrailRequest, trailQuery: TrailQuery): Promise<TrailAsJson> {
      const { calls, ...page } = await read(access, trailQuery)
      return { ...page, json: calls.map((call) => JSON.stringify(presentTrailCall(call))) }
    },

    /** Writes to the log who read each call, before returning any content. */
    async readTrailWithContent(trailRequest: TrailRequest, trailQuery: TrailQuery): Promise<TrailAsJson> {
      const { calls, ...page } = await read(trailRequest.access, trailQuery)
      const json: string[] = []
      let bytes = 0
      for (const [at, call] of calls.entries()) {
        const shown = await readContent(trailRequest, call)
        json.push(withContent(call, shown))
        bytes += 'text' in shown ? shown.text.length : 0
        const isLast = at === calls.length - 1
        if (bytes >= MOST_CONTENT_BYTES && !isLast) return { ...page, next: call.decision.position, json }
      }
      return { ...page, json }
    },
  }
}

function withContent(call: TrailCall, shown: Content): string {
  const entry = JSON.stringify(presentTrailCall(call)).slice(0, -1)
  const absent = 'absent' in shown ? shown.absent : null
  return `${entry},"content":${'text' in shown ? shown.text : 'null'},"content_absent":${JSON.stringify(absent)}}`
}
