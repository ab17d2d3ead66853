// A report as it is kept: its canonical bytes, what they say, the hash that the service names, and that of the bytes as they came.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import type { Answer } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { fileIn } from '../call-in.ts'

export type ReportRead = {
  report: ComplianceReport
  content: Blob
  /** Hexadecimal. Named: by the service, whose log has it; found: of the bytes that came. */
  sha256: { named: string | null; found: string }
}

export const useReport = (session: Session, id: string) =>
  useAnswer((signal) => readReport(session, id, signal), [session, id])

async function readReport(session: Session, id: string, signal: AbortSignal): Promise<Answer<ReportRead>> {
  const answer = await fileIn(session, 'GET', `/api/compliance/report/${encodeURIComponent(id)}`, { signal })
  if (answer.outcome === 'refused') return answer
  const { headers } = answer
  const { content } = answer.body
  const bytes = await content.arrayBuffer()
  const found = hexOf(await crypto.subtle.digest('SHA-256', bytes))
  const named = /"([0-9a-f]{64})"/.exec(headers.get('etag') ?? '')?.[1] ?? null
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `call`
  const report = JSON.parse(new TextDecoder().decode(bytes)) as ComplianceReport
  return { outcome: 'answered', body: { report, content, sha256: { named, found } }, headers }
}

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
