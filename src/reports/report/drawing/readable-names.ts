// Puts names and words in the place of ids, for people who read a report. Its JSON keeps the ids.
import { GROUPINGS } from '../../../platform/groupings.ts'
import { COMPARED_OUTCOMES } from '../../statistics/compared-outcomes.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { day, moment, plural } from './report-formats.ts'

export type Readable = ReturnType<typeof readNames>

const RAW_ID =
  /^(?:[a-z]{3}_[0-9a-f-]{32,36}|tr_[0-9a-f]{32}|aqta-att-[0-9a-f]{16}|[0-9a-f]{64}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{43})$/
const ANOMALY = /^anomaly:([a-z0-9_]+):(.+):(\d{4}-\d\d-\d\d[\dTZ:.]*)$/
const DISPARITY = new RegExp(`^disparity:(${GROUPINGS.join('|')}):([a-z]+):(.+)$`)

export function readNames({ names, controls, public_keys: signingKeys }: ComplianceReport) {
  const known = new Map(names.map(({ id, name }) => [id, name]))
  for (const { public_key: key, valid_from: from } of signingKeys) known.set(key, `the signing key of ${day(from)}`)

  /** Returns null for an id without a name. */
  function nameOf(value: string): string | null {
    const name = known.get(value)
    if (name !== undefined) return name
    if (!RAW_ID.test(value)) return value
    if (value.startsWith('usr_')) return 'a former member'
    return value.startsWith('key_') ? 'a key that has ended' : null
  }

  const text = (value: string): string => nameOf(value) ?? 'named in the JSON'

  function series(value: string): string {
    const [by = '', ...rest] = value.split(':')
    return rest.length === 0 ? value : `${by.replace('_', ' ')}: ${text(rest.join(':'))}`
  }

  function subjectOf(value: string): string | null {
    const control = controls.find(({ id }) => id === value)
    if (control !== undefined) return `${value} ${control.title}`
    const [, kind = '', of = '', since = ''] = ANOMALY.exec(value) ?? []
    if (kind !== '') {
      const start = since.includes('T') ? moment(since) : day(since)
      return `Anomaly: ${kind.replaceAll('_', ' ')}, ${series(of)}, since ${start}`
    }
    const [, by = '', outcome = '', group = ''] = DISPARITY.exec(value) ?? []
    if (by !== '') return `Difference: calls that ${phraseOf(outcome)}, ${series(`${by}:${group}`)}`
    return value.startsWith('incident:') ? 'A call that is marked as an incident' : null
  }

  return {
    text,
    series,
    subject: (value: string): string => subjectOf(value) ?? text(value),
    /** Returns names; ids without one are only counted. */
    list(values: readonly string[]): string {
      const shown = values.map((value) => (value.startsWith('incident:') ? null : (subjectOf(value) ?? nameOf(value))))
      const named = shown.filter((one) => one !== null)
      const others = shown.length - named.length
      return [...named, ...(others === 0 ? [] : [`${plural(others, 'is', 'are')} named in the JSON`])].join(', ')
    },
  }
}

const phraseOf = (outcome: string): string => COMPARED_OUTCOMES.find(({ name }) => name === outcome)?.says ?? outcome
