// The rows of D1 that refer to an organisation are deleted with it.
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { makeTables } from '../../support/unit/tables.ts'

const IDS = ['org_1', 'org_2']

const STATEMENTS = [
  `INSERT INTO people (id, email, email_key, name, created_at) VALUES ('usr_1', 'a@example.org', 'a@example.org', 'A', 1)`,
  ...IDS.flatMap((id) => [
    `INSERT INTO organisations (id, name, jurisdiction, created_at) VALUES ('${id}', 'O', 'eu', 1)`,
    `INSERT INTO members (organisation_id, person_id, role, joined_at) VALUES ('${id}', 'usr_1', 'owner', 1)`,
    `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES ('inv_${id}', randomblob(32), '${id}', 'b@example.org', 'b@example.org', 'admin', 'usr_1', 1, 2)`,
    `INSERT INTO pending_acts (id, organisation_id, act, created_at) VALUES ('act_${id}', '${id}', '{}', 1)`,
  ]),
]

it('an organisation that is deleted takes its members, invitations and pending acts along, and nobody else’s', async () => {
  await makeTables()
  await env.DB.batch(STATEMENTS.map((sql) => env.DB.prepare(sql)))
  await env.DB.exec("DELETE FROM organisations WHERE id = 'org_1'")
  for (const table of ['members', 'invitations', 'pending_acts']) {
    const { results } = await env.DB.prepare(`SELECT organisation_id AS id FROM ${table}`).all()
    expect(results).toEqual([{ id: 'org_2' }])
  }
})
