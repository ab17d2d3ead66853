// Keys page: the list of the organisation's keys, with what needs a person in one line above it.
import type { Key } from '../../../keys/key.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { info, plus } from '../../parts/icons.ts'
import { Note, Row, Soft, Text } from '../../parts/layout.view.tsx'
import { EmptyNotice, NoticeRow, Segments } from '../../parts/surfaces.view.tsx'
import { changeUrlParameters, ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatNumber, plural } from '../../text/format.ts'
import { useLoadedNames, type NameOf } from '../key-and-person-names.view.tsx'
import { hasPermission } from '../session.ts'
import { daysLeft, daysUnused, endsIn, isTemporaryKey } from './key-labels.tsx'
import { KeyTable } from './key-table.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadKeyList, monthName, type KeyList } from './load-keys.ts'

export function KeyListView() {
  const answer = useAnswer(loadKeyList, [])
  // The list waits for names, so that no column moves.
  const nameOf = useLoadedNames()
  const [loaded] = answer
  return (
    <>
      <KeysHead lead={loaded.state === 'answered' ? leadOf(loaded.body) : ''}>
        {hasPermission('keys:own') && (
          <ParameterLink look="first" change={{ create: 'key', id: '', status: '' }}>
            <Icon of={plus} />
            Create a key
          </ParameterLink>
        )}
      </KeysHead>
      <Answered answer={answer} lines={24}>
        {(list) => (nameOf === null ? <Skeleton lines={24} /> : <Keys list={list} nameOf={nameOf} />)}
      </Answered>
    </>
  )
}

const inForce = (keys: readonly Key[]): readonly Key[] =>
  keys.filter((key) => key.status === 'active' && !isTemporaryKey(key))

function leadOf({ keys, counted }: KeyList): string {
  const count = inForce(keys.data).length
  const said = count === 0 ? 'No key in force.' : `${plural(count, 'key')} in force.`
  if (counted === null) return said
  const { budget_eur: budget, totals } = counted.costs
  const used = formatEuro(totals.cost_eur)
  if (budget === null) return `${said} Calls of ${monthName()} cost ${used}.`
  return `${said} They share ${formatEuro(budget)} for ${monthName()}, of which ${used} is used.`
}

type Group = Key['status'] | 'temporary'

const GROUPS = [
  ['active', 'In force'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
  ['temporary', 'Temporary'],
] as const satisfies readonly (readonly [Group, string])[]

const groupOf = (key: Key): Group => (isTemporaryKey(key) ? 'temporary' : key.status)

/** The key that was used last comes first, and a key that was never used by when it was made. */
const lastUsedFirst = (keys: readonly Key[]): readonly Key[] =>
  keys.toSorted(
    ({ last_used_at: one, ...first }, { last_used_at: other, ...second }) =>
      (other ?? '').localeCompare(one ?? '') || second.created_at.localeCompare(first.created_at),
  )

function Keys({ list, nameOf }: { list: KeyList; nameOf: NameOf }) {
  const [address] = useUrlParameters()
  const { data, next_cursor: next } = list.keys
  const [chosen, word] = GROUPS.find(([group]) => group === address.get('status')) ?? GROUPS[0]
  const needed = needsOf(data)
  const isNarrowed = chosen === 'active' && address.get('only') === 'these' && needed !== null
  const shown = isNarrowed ? needed.keys : data.filter((key) => groupOf(key) === chosen)
  if (data.length === 0) {
    return (
      <EmptyNotice title="No keys yet">
        Every program that calls a model through Countersign has a key of its own. Each is listed here with its calls,
        its cost and its last use.
      </EmptyNotice>
    )
  }
  return (
    <>
      {needed !== null && <NeedsPerson of={needed} all={inForce(data).length} isNarrowed={isNarrowed} />}
      <Row>
        <Segments label="Status">
          {GROUPS.map(([group, words]) => {
            const count = data.filter((key) => groupOf(key) === group).length
            return group === 'temporary' && count === 0 ? null : (
              <button
                key={group}
                type="button"
                aria-pressed={group === chosen}
                onClick={() => changeUrlParameters({ status: group === 'active' ? '' : group, only: '' })}
              >
                {words} {formatNumber(count)}
              </button>
            )
          })}
        </Segments>
        {list.counted !== null && <Note isAtEnd>Calls of 30 days, cost of {monthName()}</Note>}
      </Row>
      {shown.length === 0 ? (
        <Soft as="p">{chosen === 'active' ? 'No key is in force.' : `No key is ${word.toLowerCase()}.`}</Soft>
      ) : (
        <KeyTable
          keys={lastUsedFirst(shown)}
          {...{ list, nameOf }}
          label={isNarrowed ? needed.title : `${word} keys, last used first`}
        >
          {chosen === 'temporary' && 'The playground makes these for one hour, and revokes them when it is left. '}
          A key is shown once, when it is made. We keep only a hash of it. Revoking a key stops it from its next call
          on.
          {!hasPermission('keys:own') && ' Your role may see keys and not make or change them.'}
          {next !== null && ` The newest ${formatNumber(data.length)} keys are listed.`}
        </KeyTable>
      )}
    </>
  )
}

type Needs = { title: string; text: string; keys: readonly Key[] }

type NeedsProps = {
  of: Needs
  /** How many keys are in force. Where all of them are meant, the list below has them. */
  all: number
  isNarrowed: boolean
}

/** One line about the keys that a person should look at: the most urgent kind, with a link to the one, or to all of it. */
function NeedsPerson({ of: { title, text, keys }, all, isNarrowed }: NeedsProps) {
  const [key] = keys
  return (
    <NoticeRow tone="warn" icon={info} title={title}>
      <span>{text}</span>
      <Text isAtEnd>
        {isNarrowed ? (
          <ParameterLink change={{ only: '' }}>Show all keys</ParameterLink>
        ) : keys.length === 1 && key !== undefined ? (
          <ParameterLink change={{ id: key.id, status: '' }}>Review the key</ParameterLink>
        ) : keys.length === all ? null : (
          <ParameterLink change={{ only: 'these', status: '' }}>Show these {formatNumber(keys.length)}</ParameterLink>
        )}
      </Text>
    </NoticeRow>
  )
}

const URGENT_DAYS = 7

/** The keys for which there is such a count of days, each with it. */
const withDays = (keys: readonly Key[], daysOf: (key: Key) => number | null) =>
  keys.flatMap((key) => {
    const days = daysOf(key)
    return days === null ? [] : [{ key, days }]
  })

function needsOf(all: readonly Key[]): Needs | null {
  const keys = inForce(all)
  const endless = keys.filter(({ expires_at: end }) => end === null)
  const ending = withDays(keys, daysLeft).toSorted((one, other) => one.days - other.days)
  const unused = withDays(endless, daysUnused)
  const [soonest] = ending
  const [longest] = unused.toSorted((one, other) => other.days - one.days)
  if (longest !== undefined && (soonest === undefined || soonest.days > URGENT_DAYS)) {
    const { key, days } = longest
    const verb = unused.length === 1 ? 'never expires and is unused' : 'never expire and are unused'
    const ago = `${plural(days, 'day')} ago`
    return {
      keys: unused.map((one) => one.key),
      title: `${plural(unused.length, 'key')} ${verb}.`,
      text: `${key.name} was ${key.last_used_at === null ? `made ${ago} and never used` : `last used ${ago}`}.`,
    }
  }
  if (soonest !== undefined) {
    return {
      keys: ending.map(({ key }) => key),
      title: `${plural(ending.length, 'key ends', 'keys end')} soon.`,
      text: `${soonest.key.name} ends ${endsIn(soonest.days)}.`,
    }
  }
  return endless.length === 0
    ? null
    : {
        keys: endless,
        title: `${plural(endless.length, 'key never expires', 'keys never expire')}.`,
        text: 'A key without an end date keeps working if it leaks.',
      }
}
