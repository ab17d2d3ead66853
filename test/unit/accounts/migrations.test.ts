// Migrations of a database that is in use: nothing in it is lost.
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { readTier } from '../../../src/policies/tier.policy.ts'
import { makeTablesBy } from '../../support/unit/tables.ts'

const RELEASED_TIERS = ['free', 'starter', 'pro', 'healthcare', 'enterprise']

const MEMBERS = [
  `INSERT INTO people (id, email, email_key, name, created_at) VALUES ('usr_1', 'a@example.org', 'a@example.org', 'A', 1)`,
  ...RELEASED_TIERS.flatMap((tier) => [
    `INSERT INTO members (organisation_id, person_id, role, joined_at) VALUES ('org_${tier}', 'usr_1', 'owner', 1)`,
    `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES ('inv_${tier}', randomblob(32), 'org_${tier}', 'b@example.org', 'b@example.org', 'admin', 'usr_1', 1, 2)`,
    `INSERT INTO pending_acts (id, organisation_id, act, created_at) VALUES ('act_${tier}', 'org_${tier}', '{}', 1)`,
  ]),
]

const batch = (statements: readonly string[]) => env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
const rowsOf = async (sql: string) => (await env.DB.prepare(sql).all()).results

const ORGANISATIONS = `
  SELECT id, name, tier, jurisdiction, created_at, enabled_providers, requests_per_minute, requests_per_month,
    monthly_budget_microeur, settings_version, default_max_tokens, region, cache_instructions, retention_days, loop_repeats,
    loop_window_seconds, loop_cycle_rounds, loop_cycle_window_seconds, name_version
  FROM organisations ORDER BY id`
const REFERRING =
  'SELECT organisation_id FROM members UNION ALL SELECT organisation_id FROM invitations UNION ALL SELECT organisation_id FROM pending_acts'
/** Every index, and every table that refers to another, as it was declared. */
const DECLARED = `
  SELECT type, name, tbl_name, sql FROM sqlite_master
  WHERE name <> 'organisations' AND name NOT LIKE '_cf_%' ORDER BY type, name`

it('a tier that the database no longer checks is the program’s to know, and all rows, keys and indices stay', async () => {
  const before = env.TEST_MIGRATIONS.filter(({ name }) => name < '0008')
  const step = env.TEST_MIGRATIONS.filter(({ name }) => name.startsWith('0008'))
  await makeTablesBy(before)
  await batch([
    ...RELEASED_TIERS.map(
      (
        tier,
        at,
      ) => `INSERT INTO organisations (id, name, tier, jurisdiction, created_at, enabled_providers, settings_version)
        VALUES ('org_${tier}', 'Of ${tier}', '${tier}', 'eu', ${at}, 'openai google', ${at})`,
    ),
    ...MEMBERS,
  ])
  const look = async () => Promise.all([ORGANISATIONS, REFERRING, DECLARED].map(rowsOf))
  const was = await look()
  const another = `INSERT INTO organisations (id, name, tier, jurisdiction, created_at) VALUES ('org_x', 'X', 'platinum', 'eu', 9)`
  await expect(env.DB.prepare(another).run()).rejects.toThrow('CHECK constraint failed')

  await batch(step.flatMap(({ queries }) => queries))

  expect(await look()).toEqual(was)
  expect(was.map((rows) => rows.length > 3)).toEqual([true, true, true])
  await env.DB.prepare(another).run()
  const tiers = await rowsOf("SELECT tier FROM organisations WHERE id <> 'org_x' ORDER BY created_at")
  expect(tiers.map(({ tier }) => readTier(String(tier)))).toEqual(RELEASED_TIERS)
})

it('whoever goes takes what refers to them along, after the migrations as before', async () => {
  await makeTablesBy(env.TEST_MIGRATIONS)
  await batch([
    ...RELEASED_TIERS.map(
      (tier) =>
        `INSERT INTO organisations (id, name, tier, jurisdiction, created_at) VALUES ('org_${tier}', 'O', '${tier}', 'eu', 1)`,
    ),
    ...MEMBERS,
  ])
  await batch(["DELETE FROM organisations WHERE id = 'org_pro'"])
  expect(await rowsOf(`SELECT 1 FROM (${REFERRING}) WHERE organisation_id = 'org_pro'`)).toEqual([])
  expect(await rowsOf('SELECT 1 FROM members')).toHaveLength(4)
})
