// A person founds an organisation: what is there afterwards, and where something fails on the way.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createOrganisationsService } from '../../../src/accounts/organisations.service.ts'
import { MOST_OWNED_ORGANISATIONS } from '../../../src/policies/organisation-limits.policy.ts'
import { OrganisationsStore } from '../../../src/accounts/organisations.store.ts'
import { organisationOpener } from '../../../src/organisation/organisation-client.ts'
import { newId, type OrganisationId, type PersonId } from '../../../src/platform/ids.ts'
import { contentOf, type DetailsRow } from '../../support/entry-content.ts'
import { addPerson } from '../../support/unit/session.ts'
import { makeTables } from '../../support/unit/tables.ts'

const clock = () => Date.UTC(2091, 2, 15)
const open = organisationOpener(env.ORGANISATIONS, false)
const service = createOrganisationsService({ organisations: new OrganisationsStore(env.DB), open, clock })
const founding = { name: 'A test practice', enabledProviders: ['anthropic'], region: null } as const

async function newPerson(): Promise<PersonId> {
  await makeTables()
  return addPerson()
}

const ledgerOf = (id: OrganisationId) =>
  runInDurableObject(open({ id, jurisdiction: 'eu' }), (_, { storage: { sql } }) =>
    sql
      .exec<DetailsRow<ArrayBuffer>>('SELECT kind, entry, facts FROM entries ORDER BY position')
      .toArray()
      .map(contentOf),
  )

const rows = async (query: string) => (await env.DB.prepare(query).all()).results

it('makes the person the owner, on the tier free, in the EU, with the providers that were chosen', async () => {
  const founder = await newPerson()
  const founded = await service.foundByPerson(founder, founding, 'req_1')
  if (founded.outcome !== 'founded') throw new Error(founded.outcome)
  const { record } = founded
  expect(record).toMatchObject({ tier: 'free', jurisdiction: 'eu', region: 'weur', enabledProviders: ['anthropic'] })
  expect(await new OrganisationsStore(env.DB).findOrganisation(record.id)).toEqual(record)
  expect(await rows('SELECT organisation_id, person_id, role, joined_at, invited_by FROM members')).toEqual([
    { organisation_id: record.id, person_id: founder, role: 'owner', joined_at: clock(), invited_by: null },
  ])
  const entries = await ledgerOf(record.id)
  expect(entries).toMatchObject([{ act: 'organisation.create', actor: founder, tier: 'free' }])
  expect(JSON.stringify(entries)).not.toContain('test practice')
})

it('stores nothing where its ledger cannot be begun', async () => {
  const founder = await newPerson()
  const failing = createOrganisationsService({
    organisations: new OrganisationsStore(env.DB),
    open: () => {
      throw new Error('unreachable')
    },
    clock,
  })
  await expect(failing.foundByPerson(founder, founding, 'req_1')).rejects.toThrow('unreachable')
  expect(await rows('SELECT id FROM organisations')).toEqual([])
})

it('stores no organisation without its owner', async () => {
  await makeTables()
  await expect(service.foundByPerson(newId('usr_', clock()), founding, 'req_1')).rejects.toThrow('FOREIGN KEY')
  expect(await rows('SELECT id FROM organisations')).toEqual([])
})

it('ends at ten that one person owns, however many are founded at once', async () => {
  const founder = await newPerson()
  const attempts = Array.from({ length: MOST_OWNED_ORGANISATIONS + 3 }, () =>
    service.foundByPerson(founder, founding, 'req_1'),
  )
  const outcomes = (await Promise.all(attempts)).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'too_many')).toHaveLength(3)
  expect(await rows('SELECT id FROM organisations')).toHaveLength(MOST_OWNED_ORGANISATIONS)
})
