// Stores the latest versions of a policy, with who made each. The log entries of the changes expire, and these rows stay.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { PolicyDocumentSchema, type PolicyDocument } from '../../policies/document/policy-document.ts'
import { MOST_POLICY_VERSIONS } from '../../policies/organisation-limits.policy.ts'
import type { Actor } from '../append-act.ts'

export const POLICY_VERSIONS_SCHEMA = `
  CREATE TABLE policy_versions (
    version INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    -- operator, usr_… or key_…
    actor TEXT NOT NULL,
    reason TEXT
  ) STRICT;
`

/** `reason`: as the person gave it; null if none was given. */
export type PolicyVersion = {
  version: number
  document: PolicyDocument
  madeAt: number
  actor: string
  reason: string | null
}

type Row = Pick<PolicyVersion, 'version' | 'actor' | 'reason'> & { document: string; made_at: number }

const SELECT = sql`SELECT version, document, made_at, actor, reason FROM policy_versions`

export class PolicyVersionsStore extends ObjectStore {
  insert({ version, document, madeAt, actor, reason }: Omit<PolicyVersion, 'actor'> & { actor: Actor }): void {
    this.run(sql`INSERT INTO policy_versions (version, document, made_at, actor, reason)
      VALUES (${version}, ${JSON.stringify(document)}, ${madeAt}, ${actor}, ${reason})`)
    this.run(sql`DELETE FROM policy_versions WHERE version <= ${version - MOST_POLICY_VERSIONS}`)
  }

  find(version: number): PolicyVersion | null {
    const [row] = this.rows<Row>(sql`${SELECT} WHERE version = ${version}`)
    return row === undefined ? null : fromRow(row)
  }

  /** Returns versions before `before`, newest first. */
  list(before: number, limit: number): PolicyVersion[] {
    return this.rows<Row>(sql`${SELECT} WHERE version < ${before} ORDER BY version DESC LIMIT ${limit}`).map(fromRow)
  }
}

const DocumentText = once(() =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(PolicyDocumentSchema()),
)

const fromRow = ({ version, document, made_at: madeAt, actor, reason }: Row): PolicyVersion => ({
  version,
  document: DocumentText().parse(document),
  madeAt,
  actor,
  reason,
})
