// Reads the trail of an organisation's calls, with their content if requested.
import type { Access } from '../../accounts/access/access.ts'
import type { TrailCall, TrailPage, WantedTrail } from '../../organisation/audit/audit-trail.ts'
import { type OpenOrganisation, repeatRead } from '../../organisation/client.ts'
import type { ContentService } from '../content/content.service.ts'
import type { ContentAbsent } from './audit-trail.schema.ts'
import { isContentKept, presentCall } from './present-trail.ts'

/** The most content of a page, in bytes, because an isolate has little memory. */
const MOST_CONTENT_BYTES = 4 * 1024 * 1024

type Asked = { access: Access; requestId: string }

/** `json`: the entries as JSON, with content byte for byte as it was stored. */
export type ShownTrail = Omit<TrailPage, 'calls'> & { json: string[] }

type Content = { text: string } | { absent: ContentAbsent }

export type AuditTrailService = ReturnType<typeof createAuditTrailService>

export function createAuditTrailService({ open, content }: { open: OpenOrganisation; content: ContentService }) {
  const read = (access: Access, wanted: WantedTrail): Promise<TrailPage> =>
    repeatRead(async (): Promise<TrailPage> => open(access.organisation).audit.readTrail(wanted))

  async function readContent(asked: Asked, call: TrailCall): Promise<Content> {
    if (!isContentKept(call)) return { absent: 'not_logged' }
    const found = await content.readContent(asked, call.record.attestation_id)
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
    async readTrail({ access }: Asked, wanted: WantedTrail): Promise<ShownTrail> {
      const { calls, ...page } = await read(access, wanted)
      return { ...page, json: calls.map((call) => JSON.stringify(presentCall(call))) }
    },

    /** Writes to the log who read each call, before returning any content. */
    async readTrailWithContent(asked: Asked, wanted: WantedTrail): Promise<ShownTrail> {
      const { calls, ...page } = await read(asked.access, wanted)
      const json: string[] = []
      let bytes = 0
      for (const [at, call] of calls.entries()) {
        const shown = await readContent(asked, call)
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
  const entry = JSON.stringify(presentCall(call)).slice(0, -1)
  const absent = 'absent' in shown ? shown.absent : null
  return `${entry},"content":${'text' in shown ? shown.text : 'null'},"content_absent":${JSON.stringify(absent)}}`
}
