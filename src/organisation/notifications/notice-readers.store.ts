// Reads from D1 whom an organisation can mail: members whose access is not over and who have confirmed their address.
type NoticeReader = { personId: string; email: string; organisationName: string }

export async function listNoticeReaders(
  db: D1Database,
  organisationId: string,
  people: readonly string[],
  now: number,
): Promise<NoticeReader[]> {
  const { results } = await db
    .prepare(
      `SELECT people.id AS personId, people.email AS email, organisations.name AS organisationName
       FROM members JOIN people ON people.id = members.person_id JOIN organisations ON organisations.id = members.organisation_id
       WHERE members.organisation_id = ?1 AND members.person_id IN (SELECT value FROM json_each(?2))
         AND people.email_proven_at IS NOT NULL AND (members.ends_at IS NULL OR members.ends_at > ?3)`,
    )
    .bind(organisationId, JSON.stringify(people), now)
    .all<NoticeReader>()
  return results
}
