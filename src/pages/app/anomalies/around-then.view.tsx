// What changed in the policy and the keys at most two days before or after the start of an anomaly. It may have caused it, or not.
import { Soft, Stack } from '../../parts/layout.view.tsx'
import { exactTime } from '../../parts/times.view.tsx'
import { formatShortDay, plural } from '../../text/format.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { ruleName } from '../../text/rule-names.ts'
import { hasPermission, inOrganisation } from '../session.ts'
import { type Anomaly } from './anomaly-words.ts'
import { DAYS_AROUND, isAround, type Figures } from './load-figures.ts'
import { dayAfter } from '../../text/day.ts'

type Props = {
  anomaly: Anomaly
  keys: Keys
  /** Null if they cannot be had. */
  versions: Figures['versions']
}

type Change = { at: string; text: string; href: string; detail?: string }

const MOST_CHANGES = 6

export function AroundThen({ anomaly, keys, versions }: Props) {
  const looked = [...(versions === null ? [] : ['policy']), ...(hasPermission('keys:read') ? ['keys'] : [])]
  if (looked.length === 0) return <>Not known: neither the policy’s history nor the keys can be read now.</>
  const changes = [...(versions ?? []).map(changeOfPolicy), ...changesOfKeys(keys)]
    .filter(({ at }) => isAround(at, anomaly))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
  if (changes.length === 0) {
    const [first, last] = [dayAfter(anomaly.since, -DAYS_AROUND), dayAfter(anomaly.since, DAYS_AROUND)]
    return <>{`Nothing changed in ${looked.join(' or ')} from ${formatShortDay(first)} to ${formatShortDay(last)}.`}</>
  }
  return (
    <Stack as="ul" gap={2}>
      {changes.slice(0, MOST_CHANGES).map(({ at, href, text, detail }) => (
        <li key={`${at} ${text}`}>
          <a href={inOrganisation(href)}>{text}</a>, {exactTime(at)}
          {detail !== undefined && <Soft>: {detail}</Soft>}
        </li>
      ))}
      {changes.length > MOST_CHANGES && (
        <li>
          <Soft>{plural(changes.length - MOST_CHANGES, 'more change')}</Soft>
        </li>
      )}
    </Stack>
  )
}

const changeOfPolicy = ({ version, created_at: at, changes }: NonNullable<Figures['versions']>[number]): Change => ({
  at,
  text: `Policy version ${version}`,
  href: `/app/policies?version=${version}`,
  ...(changes !== null && { detail: changedRules(changes.map(({ path }) => path)) }),
})

/** The rules that the paths of a version's changes are in, by name. */
const changedRules = (paths: readonly string[]): string =>
  [...new Set(paths.map((path) => ruleName(path.split('/')[1] ?? '')))].join(', ')

function changesOfKeys(keys: Keys): Change[] {
  const changes: Change[] = []
  for (const { id, name, created_at: made, revoked_at: revoked } of keys.values()) {
    const href = `/app/keys?id=${id}`
    changes.push({ at: made, text: `Key ${name} made`, href })
    if (revoked !== null) changes.push({ at: revoked, text: `Key ${name} revoked`, href })
  }
  return changes
}
