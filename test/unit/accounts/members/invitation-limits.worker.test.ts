// How many invitations go out in a day, and what is kept of them.
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { createInvitationLimits } from '../../../../src/accounts/members/invitations.service.ts'
import { AttemptsStore } from '../../../../src/accounts/sign-in/attempts.store.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { makeTables } from '../../../support/unit/tables.ts'

const noon = Date.UTC(2091, 2, 15, 12)
const DAY_SECONDS = 86_400
const time = { now: noon }

const limits = createInvitationLimits({
  countTry: async (...tried) => new AttemptsStore(env.DB).countTry(...tried),
  pepper: readConfig(env).signingPepper,
  clock: () => time.now,
})

const EMAIL = 'guest@example.org'
const count = (n: number, { person = 'a', organisation = 'a', email = `${n}@example.org` } = {}) =>
  limits.count({ organisation: `org_${organisation}`, person: `usr_${person}` }, email)

beforeEach(async () => {
  time.now = noon
  await makeTables()
})

it.each([
  [
    'one address, however it is written, from wherever',
    10,
    (n: number) => count(n, { person: `${n}`, organisation: `${n}`, email: n % 2 === 0 ? EMAIL : EMAIL.toUpperCase() }),
  ],
  ['one person, in whichever organisation', 50, (n: number) => count(n, { organisation: `${n}` })],
  ['one organisation, whoever invites', 100, (n: number) => count(n, { person: `${n}` })],
])('%s: %i a day', async (_, most, invite) => {
  for (let n = 0; n < most; n += 1) expect(await invite(n)).toBeNull()
  time.now += 1000
  expect(await invite(most)).toBe(DAY_SECONDS - 1)
  time.now = noon + DAY_SECONDS * 1000
  expect(await invite(most)).toBeNull()
})

it('keeps neither the address nor who invited', async () => {
  await count(1, { email: EMAIL })
  const { results } = await env.DB.prepare('SELECT subject FROM attempts').all()
  expect(results).toHaveLength(3)
  expect(JSON.stringify(results)).not.toMatch(/guest|org_|usr_/)
})
