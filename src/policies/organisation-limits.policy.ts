// The limits of an organisation and its people that are the same in every tier. The page /tiers lists them.

/** The most keys in force. The organisation's object lists them in one response, and ends a person's keys in one turn. */
export const MOST_ACTIVE_KEYS = 1_000

export const MAX_CALL_BODY_BYTES = 4 * 1024 * 1024

/** The most requests that wait for people, of the organisation and of one of its keys. */
export const MOST_PENDING_APPROVALS = { ofAll: 100, ofKey: 20 } as const

/** Older versions of the policy are deleted. */
export const MOST_POLICY_VERSIONS = 1_000

/** The most exports an hour. One person or key may make fewer than all together, so that nobody can block the others. */
export const MOST_EXPORTS_AN_HOUR = { ofAll: 10, ofActor: 5 } as const

/** Each compliance report takes about a second of the object's time. */
export const MOST_REPORTS_A_DAY = 20

export const MOST_OPEN_INVITATIONS = 100

/** The most organisations of one owner, because founding is free and each brings limits of its own. */
export const MOST_OWNED_ORGANISATIONS = 10

/** So many of each act are listed. */
export const LATEST_ACTS_KEPT = 50
