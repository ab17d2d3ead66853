// Exports of audit entries, read back and proven.
import { JoinedSubtrees, rootOfRange } from '../../../../src/evidence/tree/range-proof.ts'
import { sha256 } from '../../../../src/platform/sha256.ts'
import type { Asker } from '../managed.ts'

export const AUDIT_LOGS = '/api/compliance/audit-logs'

export type Line = Record<string, unknown> & { object: string; index: number; leaf_hash: string; withheld?: string }

export type ExportedAudit = {
  head: Record<string, unknown> & {
    first: number
    end_index: number
    tree_head: { tree_size: number; root_hash: string }
  }
  lines: Line[]
  end: { entries: number; withheld: number; sha256: string; range_proof: string[]; next_cursor: string | null } | null
  text: string
}

export async function exportAudit({ ask }: Asker, query = ''): Promise<ExportedAudit> {
  const response = await ask('GET', `${AUDIT_LOGS}${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return readExport(await response.text())
}

export function readExport(text: string): ExportedAudit {
  const [head, ...rest] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const last = rest.at(-1)
  const isWhole = last?.object === 'audit_export.end'
  return {
    head: head as unknown as ExportedAudit['head'],
    lines: isWhole ? rest.slice(0, -1) : rest,
    end: isWhole ? (last as unknown as ExportedAudit['end']) : null,
    text,
  }
}

/** True if the leaves and the proof make the root of the head. */
export function isProven({ head, lines, end }: ExportedAudit): boolean {
  const leaves = new JoinedSubtrees(sha256)
  for (const { index, leaf_hash } of lines) leaves.add({ level: 0, index, hash: Uint8Array.fromHex(leaf_hash) })
  const range = { first: head.first, end: head.end_index, size: head.tree_head.tree_size }
  const root = rootOfRange(range, leaves, end?.range_proof.map((hash) => Uint8Array.fromHex(hash)) ?? [])
  return root?.toHex() === head.tree_head.root_hash
}
