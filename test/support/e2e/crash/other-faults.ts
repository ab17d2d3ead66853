// Finds faults in readings and in the operator's acts. Each reading ends at most once, and an answer is written before it is
// given. A key or a setting is there with its entry or not at all.
import { utcDay } from '../../../../src/platform/time.ts'
import { type Books, faultIf } from './books.ts'
import type { Acted, SentLetter } from './clients.ts'
import { actsIn, endsOfReadingsIn, policyVersionsIn, readingsIn } from './decisions.ts'
import type { Told } from './steps.ts'

/** @param provided markers of the letters that a provider got */
export function findReadingFaults(
  books: Books,
  letters: readonly SentLetter[],
  provided: ReadonlyMap<string, number>,
): string[] {
  const begun = new Map(readingsIn(books).map((reading) => [reading.requestId, reading]))
  const positions = new Set([...begun.values()].map(({ position }) => position))
  const ends = endsOfReadingsIn(books)
  const ended = new Map(ends.map((end) => [end.settles, end]))
  const sent = new Set(letters.map(({ marker }) => marker))
  const endOf = (marker: string) => ended.get(begun.get(marker)?.position ?? -1)
  return [
    ...ends
      .filter(({ settles }) => !positions.has(settles))
      .map(({ position }) => `entry ${position} ends a reading that never began`),
    ...faultIf(ended.size !== ends.length, 'a reading ended twice'),
    ...[...begun.keys()].filter((marker) => !sent.has(marker)).map((marker) => `nobody sent ${marker}, which was read`),
    ...letters
      .filter(({ marker, status }) => status === 200 && endOf(marker)?.ended !== 'settled')
      .map(({ marker }) => `${marker} was answered, and its end is not written`),
    ...letters
      .filter(({ marker }) => provided.has(marker) && !begun.has(marker))
      .map(({ marker }) => `a provider got ${marker}, and nothing allows it`),
  ]
}

/** Compares the object's readings with the books. Entries that have left have no row, and so no reserve. */
export function findHeldReadingFaults(books: Books, { readings, days }: Told): string[] {
  const ended = new Map(endsOfReadingsIn(books).map((end) => [end.settles, end]))
  const open = readingsIn(books).filter(({ position }) => !ended.has(position))
  const held = new Set(readings.map(({ position }) => position))
  const isOther = held.size !== open.length || open.some(({ position }) => !held.has(position))
  const costs = new Map<string, number>()
  for (const { position, keyId } of readingsIn(books)) {
    const row = books.rows.find((one) => one.position === position)
    const cost = ended.get(position)?.costMicroeur ?? row?.microeur ?? 0
    const name = `${keyId} on day ${utcDay(row?.at ?? 0)}`
    costs.set(name, (costs.get(name) ?? 0) + cost)
  }
  const told = new Map(days.map(({ keyId, day, microeur }) => [`${keyId} on day ${day}`, microeur]))
  const names = books.leftTo > 0 ? [] : [...new Set([...costs.keys(), ...told.keys()])]
  return [
    ...faultIf(isOther, `${held.size} readings are open, and by the entries ${open.length}`),
    ...names
      .filter((name) => costs.get(name) !== told.get(name))
      .map((name) => `readings of ${name} cost ${told.get(name) ?? 0}, and add up to ${costs.get(name) ?? 0}`),
  ]
}

/** @param acts those that were answered */
export function findActFaults(books: Books, acts: readonly Acted[]): string[] {
  const written = actsIn(books)
  const issued = new Set(written.filter(({ act }) => act === CREATE_KEY).map(({ key_id: id }) => id))
  const keys = new Set(books.keyIds)
  const versions = new Set(written.map(({ version }) => version))
  return [
    ...books.keyIds.filter((id) => !issued.has(id)).map((id) => `key ${id} has no entry`),
    ...[...issued].filter((id) => id === undefined || !keys.has(id)).map((id) => `the entry of key ${id} has no key`),
    ...acts
      .filter(({ keyId }) => keyId !== undefined && !keys.has(keyId))
      .map(({ keyId }) => `key ${keyId} was issued and is not there`),
    ...acts
      .filter(({ version }) => version !== undefined && !versions.has(version))
      .map(({ version }) => `version ${version} of the settings was answered and is not written`),
  ]
}

const CREATE_KEY = 'key.create'

/** Each version of the policy follows the one before and stands in the history; what was answered is written. Old entries may have gone. */
export function findPolicyFaults(books: Books, acts: readonly Acted[]): string[] {
  const written = policyVersionsIn(books)
  const answered = Math.max(0, ...acts.map(({ policyVersion = 0 }) => policyVersion))
  return [
    ...faultIf(
      written.some((version, at) => version !== (written[0] ?? 0) + at),
      'the versions of the policy do not follow one another',
    ),
    ...faultIf(
      books.policyVersions.slice(books.policyVersions.length - written.length).join() !== written.join(),
      'the history has other policies than those that are written',
    ),
    ...faultIf(answered > (written.at(-1) ?? 0), `version ${answered} of the policy was answered and is not written`),
  ]
}

export function findSettingsFaults(books: Books, { settingsVersion, policyVersion }: Told): string[] {
  const written = Math.max(0, ...actsIn(books).map(({ version }) => version ?? 0))
  const policies = policyVersionsIn(books).at(-1) ?? 0
  return [
    ...faultIf(
      settingsVersion !== written,
      `the settings are of version ${settingsVersion}, and ${written} is written`,
    ),
    ...faultIf(policyVersion !== policies, `the policy is of version ${policyVersion}, and ${policies} is written`),
  ]
}
