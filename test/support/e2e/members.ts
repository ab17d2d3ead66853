// People of an organisation who are signed in, put straight into the database: for tests of what comes after signing in.
import { randomUUID } from 'node:crypto'
import { hashToken, newToken } from '../../../src/accounts/access/secret-token.ts'
import type { Role } from '../../../src/accounts/access/roles.policy.ts'
import type { Deployment } from './deployment.ts'

export type SignedIn = { personId: string; email: string; token: string; headers: { cookie: string; origin: string } }

/** A new person with a session that began `ago` milliseconds ago; `role` null: a member of nothing. */
export async function signInAs(
  service: Deployment,
  organisationId: string,
  role: Role | null,
  ago = 0,
): Promise<SignedIn> {
  const { DB } = await service.env()
  const personId = `usr_${randomUUID()}`
  const email = `${personId}@example.org`
  const token = newToken()
  const now = Date.now() - ago
  // In one call: each statement that is prepared is a call of its own, for which this process stands still.
  const address = `'${personId}', '${email}', '${email}', ${now}, 'A test person', ${now}`
  const session = `'ses_${randomUUID()}', '${personId}', 'password', ${now}, ${now}, ${now + 604_800_000}`
  const statements = [
    `INSERT INTO people (id, email, email_key, email_proven_at, name, created_at) VALUES (${address})`,
    `INSERT INTO sessions (token_hash, id, person_id, method, created_at, seen_at, expires_at)
     VALUES (x'${Buffer.from(hashToken(token)).toString('hex')}', ${session})`,
  ]
  const joining = `INSERT INTO members (organisation_id, person_id, role, joined_at, ends_at)
     VALUES ('${organisationId}', '${personId}', '${role}', ${now}, ${role === 'auditor' ? Date.UTC(2100, 0) : 'NULL'})`
  if (role !== null) statements.push(joining)
  await DB.exec(statements.map((statement) => statement.replaceAll(/\s+/g, ' ')).join('\n'))
  return { personId, email, token, headers: { cookie: `__Host-session=${token}`, origin: service.url } }
}
