// The options of `npm run orgs` that are settings, from the settings' table: how each is written, its line in the help, how it is read.
import { rowsSetBy } from '../../src/accounts/organisation-settings.schema.ts'
import { UsageError, wholeNumber } from '../command-line.ts'
import { fieldSchemaOf, type FieldSchema } from '../../src/platform/field-schema.ts'

export type OptionReader = (text: string, name: string) => unknown

export type SettingOption = {
  /** Without the two hyphens. */
  name: string
  /** The request's member that it sets. */
  member: string
  /** The form of its value: yes|no. */
  value: string
  /** The line of the help, with the default. */
  help: string
  read: OptionReader
}

export const settingOptions = (): SettingOption[] =>
  rowsSetBy('operator').map(([member, , row]) => {
    const { name, help, value = 'N', none } = row.option
    const kind = kindOf(fieldSchemaOf(row.api()), value)
    const initial = row.toApi === undefined ? row.initial : row.toApi(row.initial)
    return { name, member, value: kind.value, help: `${help} (default ${textOf(initial, none)})`, read: kind.read }
  })

type Kind = { value: string; read: OptionReader }

/** Throws if an option cannot give such a value. */
function kindOf(schema: FieldSchema, value: string): Kind {
  const { type, isNullable = false, minimum, maximum, items, properties } = schema
  if (type === 'boolean') return { value: 'yes|no', read: yesOrNo }
  if (schema.enum !== undefined) return { value: schema.enum.join('|'), read: (text) => text }
  if (items?.enum !== undefined) return { value: 'LIST|all|none', read: readList(items.enum) }
  if (isNullable && properties !== undefined) {
    const [member = '', ...others] = Object.keys(properties)
    if (others.length === 0) return { value: `${value}|none`, read: readWrapped(member) }
  }
  if (isNullable && (type === 'integer' || type === 'number')) return { value: `${value}|none`, read: numberOrNone }
  if (isNullable && type === 'string')
    return { value: `${value}|none`, read: (text) => (text === 'none' ? null : text) }
  if (type === 'integer') return { value, read: (text, name) => wholeNumber(name, text, minimum, maximum) }
  throw new TypeError('no option can give a value of this schema')
}

export function yesOrNo(text: string, name: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new UsageError(`--${name} needs yes or no.`)
  return text === 'yes'
}

/** Returns the last second of a day in UTC. */
export function endOfDay(text: string, name: string): string {
  const end = `${text}T23:59:59Z`
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(end)))
    throw new UsageError(`--${name} needs a day, such as 2027-02-28.`)
  return end
}

function numberOrNone(text: string, name: string): number | null {
  if (text === 'none') return null
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} needs a number or none.`)
  return Number(text)
}

const readWrapped =
  (member: string): OptionReader =>
  (text, name) => {
    const number = numberOrNone(text, name)
    return number === null ? null : { [member]: number }
  }

const readList =
  (choices: readonly (string | number)[]): OptionReader =>
  (text) => {
    if (text === 'all') return choices
    return text === 'none' ? [] : text.split(',').map((one) => one.trim())
  }

function textOf(initial: unknown, none?: string): string {
  if (typeof initial === 'boolean') return initial ? 'yes' : 'no'
  if (initial === null || (Array.isArray(initial) && initial.length === 0)) {
    return none === undefined ? 'none' : `none: ${none}`
  }
  return typeof initial === 'string' ? initial : JSON.stringify(initial)
}
