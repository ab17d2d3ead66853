// Keys page: the list of the organisation's keys, with what needs a person in one line above it.
import type { Key } from '../../../keys/key.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { info, plus } from '../../parts/icons.ts'
import { EmptyNotice } from '../../parts/list-table.view.tsx'
import { changeUrlParameters, ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatMonth, formatNumber, plural } from '../../text/format.ts'
import { hasPermission } from '../session.ts'
import { daysLeft, daysUnused, endsIn } from './key-labels.tsx'
import { KeyTable } from './key-table.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { currentMonth, loadKeyList, type KeyList } from './load-keys.ts'

export function KeyListView() {
  const answer = useAnswer(loadKeyList, [])
  const [loaded] = answer
  return (
    <>
      <KeysHead lead={loaded.state === 'answered' ? leadOf(loaded.body) : ''}>
        {hasPermission('keys:own') && (
          <ParameterLink class="button first" change={{ create: 'key', id: '', status: '' }}>
            <Icon of={plus} />
            Create a key
          </ParameterLink>
        )}
      </KeysHead>
      <Answered answer={answer} lines={24}>
        {(list) => <Keys list={list} />}
      </Answered>
    </>
  )
}

const monthName = (): string => formatMonth(currentMonth()).replace(/ \d+$/, '')

const inForce = (keys: readonly Key[]): readonly Key[] => keys.filter(({ status }) => status === 'active')

function leadOf({ keys, counted }: KeyList): string {
  const count = inForce(keys.data).length
  const said = count === 0 ? 'No key in force.' : `${plural(count, 'key')} in force.`
  if (counted === null) return said
  const { budget_eur: budget, totals } = counted.costs
  const used = formatEuro(totals.cost_eur)
  if (budget === null) return `${said} Calls of ${monthName()} cost ${used}.`
  return `${said} They share ${formatEuro(budget)} for ${monthName()}, of which ${used} is used.`
}

const STATUSES = [
  ['active', 'In force'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
] as const satisfies readonly (readonly [Key['status'], string])[]

function Keys({ list }: { list: KeyList }) {
  const [address] = useUrlParameters()
  const { data, next_cursor: next } = list.keys
  const [chosen, word] = STATUSES.find(([status]) => status === address.get('status')) ?? STATUSES[0]
  const shown = data.filter(({ status }) => status === chosen)
  const mayCreate = hasPermission('keys:own')
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
      <NeedsPerson keys={data} />
      <div class="row">
        <div class="segments" role="group" aria-label="Status">
          {STATUSES.map(([status, words]) => (
            <button
              key={status}
              type="button"
              aria-pressed={status === chosen}
              onClick={() => changeUrlParameters({ status: status === 'active' ? '' : status })}
            >
              {words} {formatNumber(data.filter((key) => key.status === status).length)}
            </button>
          ))}
        </div>
        {list.counted !== null && <span class="soft small to-end">Calls of 30 days, cost of {monthName()}</span>}
      </div>
      {shown.length === 0 ? (
        <p class="soft">{chosen === 'active' ? 'No key is in force.' : `No key is ${word.toLowerCase()}.`}</p>
      ) : (
        <KeyTable keys={shown} list={list} label={`${word} keys, newest first`}>
          A key is shown once, when it is made. We keep only a hash of it. Revoking a key stops it from its next call
          on.
          {!mayCreate && ' Your role may see keys and not make or change them.'}
          {next !== null && ` The newest ${formatNumber(data.length)} keys are listed.`}
        </KeyTable>
      )}
    </>
  )
}

/** One line about the keys that a person should look at: the most urgent kind, with a link to the first of it. */
function NeedsPerson({ keys }: { keys: readonly Key[] }) {
  const found = needsOf(keys)
  if (found === null) return null
  const { title, text, key } = found
  return (
    <div class="notice warn row">
      <b class="with-sign">
        <Icon of={info} />
        {title}
      </b>
      <span>{text}</span>
      <span class="to-end">
        <ParameterLink change={{ id: key.id, status: '' }}>Review the key</ParameterLink>
      </span>
    </div>
  )
}

const URGENT_DAYS = 7

function needsOf(keys: readonly Key[]): { title: string; text: string; key: Key } | null {
  const ending = inForce(keys)
    .flatMap((key) => {
      const days = daysLeft(key)
      return days === null ? [] : [{ key, days }]
    })
    .toSorted((one, other) => one.days - other.days)
  const unused = inForce(keys).flatMap((key) => {
    const days = key.expires_at === null ? daysUnused(key) : null
    return days === null ? [] : [{ key, days }]
  })
  const [soonest] = ending
  const [longest] = unused.toSorted((one, other) => other.days - one.days)
  if (longest !== undefined && (soonest === undefined || soonest.days > URGENT_DAYS)) {
    const { key, days } = longest
    const verb = unused.length === 1 ? 'never expires and is unused' : 'never expire and are unused'
    const ago = `${plural(days, 'day')} ago`
    return {
      key,
      title: `${plural(unused.length, 'key')} ${verb}.`,
      text: `${key.name} was ${key.last_used_at === null ? `made ${ago} and never used` : `last used ${ago}`}.`,
    }
  }
  if (soonest !== undefined) {
    return {
      key: soonest.key,
      title: `${plural(ending.length, 'key ends', 'keys end')} soon.`,
      text: `${soonest.key.name} ends ${endsIn(soonest.days)}.`,
    }
  }
  const endless = inForce(keys).filter(({ expires_at: end }) => end === null)
  const [first] = endless
  return first === undefined
    ? null
    : {
        key: first,
        title: `${plural(endless.length, 'key never expires', 'keys never expire')}.`,
        text: 'With a last day, a key that was lost does not work for good.',
      }
}
