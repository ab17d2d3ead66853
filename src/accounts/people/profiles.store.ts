// Reads a signed-in person's own profile from D1: the account, its ways to sign in and its organisations.
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'
import { sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'
import { readTier, type Tier } from '../../policies/tier.policy.ts'
import { isAccessOver, type Role } from '../access/roles.policy.ts'
import { REQUIREMENT_SQL } from './sessions.store.ts'
import { factorCountsSql, type FactorCounts } from '../second-factor/factor-counts.ts'
import type { Requirement } from '../../policies/second-factor.policy.ts'
import { tierRequestFromRow, type TierRequest, type TierRequestRow } from '../organisations.store.ts'

/** An organisation that the person is a member of, with its scheduled or running erasure. */
type ProfileOrganisation = {
  id: OrganisationId
  name: string
  tier: Tier
  role: Role
  /** The end of an auditor's access; null for other roles. */
  endsAt: number | null
  /** `requestedByName`: of a person who asked; null if a key did or the person is erased. */
  requirement: Requirement
  tierRequest: (TierRequest & { requestedByName: string | null }) | null
  erasure: { id: ErasureId; dueAt: number; state: 'scheduled' | 'running' } | null
}

/** `methods`: `password`, and each identity provider's id at the time it was linked. Times are in milliseconds. */
export type Profile = {
  id: PersonId
  createdAt: number
  email: string
  isEmailProven: boolean
  name: string
  methods: string[]
  factors: FactorCounts
  organisations: ProfileOrganisation[]
  /** Organisations that the person could read as an auditor until `endsAt`. */
  endedAccess: { id: OrganisationId; name: string; endsAt: number }[]
  /** The account's erasure; null if none is scheduled or running. */
  erasure: { id: ErasureId; dueAt: number } | null
}

type OrganisationRow = Omit<ProfileOrganisation, 'erasure' | 'tierRequest' | 'requirement'> &
  Requirement &
  TierRequestRow & {
    asker: string | null
    erasure_id: ErasureId | null
    due_at: number
    state: 'scheduled' | 'running'
  }

type PersonRow = FactorCounts & {
  id: PersonId
  created_at: number
  email: string
  is_proven: 0 | 1
  name: string
  has_password: 0 | 1
}

export class ProfilesStore extends D1Store {
  /** Returns the profile, with the oldest organisation first; null if there is no such person. */
  async find(id: PersonId, now: number): Promise<Profile | null> {
    const [person, organisations, identities, erasure] = await Promise.all([
      this.findCurrent<PersonRow>(
        sql`SELECT id, created_at, email, email_proven_at IS NOT NULL AS is_proven, name, password IS NOT NULL AS has_password,
           ${factorCountsSql(sql`people.id`)}
         FROM people WHERE id = ${id}`,
      ),
      this.listCurrent<OrganisationRow>(
        sql`SELECT organisations.id AS id, organisations.name AS name, organisations.settings ->> 'tier' AS tier, members.role AS role,
           members.ends_at AS endsAt, ${REQUIREMENT_SQL}, asked_tier, tier_asked_at, tier_asked_by, askers.name AS asker,
           erasures.id AS erasure_id, erasures.due_at AS due_at, erasures.state AS state
         FROM members JOIN organisations ON organisations.id = members.organisation_id
         LEFT JOIN people AS askers ON askers.id = tier_asked_by
         LEFT JOIN erasures
           ON erasures.subject = organisations.id AND erasures.state IN ('scheduled', 'running')
         WHERE members.person_id = ${id} ORDER BY organisations.id`,
      ),
      this.listCurrent<{ provider: string }>(
        sql`SELECT DISTINCT provider FROM identities WHERE person_id = ${id} ORDER BY provider`,
      ),
      this.findCurrent<NonNullable<Profile['erasure']>>(
        sql`SELECT id, due_at AS dueAt FROM erasures WHERE subject = ${id} AND state IN ('scheduled', 'running')`,
      ),
    ])
    if (person === null) return null
    return {
      id: person.id,
      createdAt: person.created_at,
      email: person.email,
      isEmailProven: person.is_proven === 1,
      name: person.name,
      methods: [...(person.has_password === 1 ? ['password'] : []), ...identities.map((row) => row.provider)],
      factors: person,
      organisations: organisations.filter(({ endsAt }) => !isAccessOver(endsAt, now)).map(fromRow),
      endedAccess: organisations.flatMap(({ id: endedId, name, endsAt }) =>
        endsAt !== null && isAccessOver(endsAt, now) ? [{ id: endedId, name, endsAt }] : [],
      ),
      erasure,
    }
  }
}

function fromRow(row: OrganisationRow): ProfileOrganisation {
  const tierRequest = tierRequestFromRow(row)
  return {
    id: row.id,
    name: row.name,
    tier: readTier(row.tier),
    role: row.role,
    endsAt: row.endsAt,
    requirement: { secondFactor: row.secondFactor, secondFactorFrom: row.secondFactorFrom },
    tierRequest: tierRequest && { ...tierRequest, requestedByName: row.asker },
    erasure: row.erasure_id === null ? null : { id: row.erasure_id, dueAt: row.due_at, state: row.state },
  }
}
