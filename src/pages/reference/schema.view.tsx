// API reference: shows a schema's type and limits in a line, then its members. Each level is folded.
import { Foldable } from '../parts/foldable.view.tsx'
import { Markdown } from '../parts/markdown.view.tsx'
import { plural, formatNumber } from '../text/format.ts'
import { referencedName, withoutNull, resolveReference, type ApiDocument, type Schema } from './openapi-document.ts'
import type { ComponentChildren } from 'preact'

type Props = { document: ApiDocument; schema: Schema }

export function SchemaView({ document, schema, isOpen = false }: Props & { isOpen?: boolean }) {
  const { description } = resolveReference(document, schema)
  const one = withoutNull(document, schema)
  const limits = limitsOf(one)
  const choices = one.enum ?? []
  return (
    <>
      <p class="small soft">
        {typeOf(document, schema)}
        {limits !== '' && ` · ${limits}`}
        {choices.length > 0 && choices.length <= MOST_BESIDE && <Values label=" · one of" values={choices} />}
        {one.default !== undefined && <Values label=" · default" values={[one.default]} />}
      </p>
      {description !== undefined && <Markdown text={description} />}
      {choices.length > MOST_BESIDE && (
        <ul class="plain row" data-gap="2">
          {choices.map((value) => (
            <li key={String(value)}>
              <code>{String(value)}</code>
            </li>
          ))}
        </ul>
      )}
      {one.example !== undefined && (
        <p class="small soft">
          <Values label="Example" values={[one.example]} />
        </p>
      )}
      {one.pattern !== undefined && (
        <p class="small soft">
          Pattern <code>{one.pattern}</code>
        </p>
      )}
      <InnerSchemas document={document} schema={schema} isOpen={isOpen} />
    </>
  )
}

/** More values than these have a line of their own. */
const MOST_BESIDE = 3

const Values = ({ label, values }: { label: string; values: readonly unknown[] }): ComponentChildren => (
  <>
    {label}{' '}
    {values.map((value, at) => (
      <>
        {at > 0 && ', '}
        <code>{shortened(JSON.stringify(value))}</code>
      </>
    ))}
  </>
)

/** A whole letter is no help beside a name: the code has it. */
const shortened = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)} …`
const MOST_CHARACTERS = 80

/** Shows the schemas inside a schema. A list shows the schema of its items. */
function InnerSchemas({ document, schema, isOpen }: Props & { isOpen: boolean }) {
  const one = withoutNull(document, schema)
  const members = Object.entries(one.properties ?? {})
  const choices = (one.oneOf ?? one.anyOf ?? []).filter(({ type }) => type !== 'null')
  const rest = typeof one.additionalProperties === 'object' ? one.additionalProperties : undefined
  return (
    <>
      {one.items !== undefined && hasInnerSchemas(document, one.items) && (
        <InnerSchemas document={document} schema={one.items} isOpen={isOpen} />
      )}
      {members.length > 0 && (
        <Foldable summary={plural(members.length, 'field')} isOpen={isOpen}>
          {() => <Members document={document} members={members} required={one.required ?? []} />}
        </Foldable>
      )}
      {rest !== undefined && hasInnerSchemas(document, rest) && (
        <Foldable summary="Each field">{() => <SchemaView document={document} schema={rest} />}</Foldable>
      )}
      <SchemaList document={document} schemas={choices} summary={`${choices.length} kinds`} />
      <SchemaList document={document} schemas={one.allOf ?? []} summary="All of these together" />
      <SchemaList document={document} schemas={one.prefixItems ?? []} summary="In this order" />
    </>
  )
}

type ParamProps = { name: string; isRequired?: boolean | undefined; children: ComponentChildren }

/** A field of a request or an answer, in a list of them. */
export const Param = ({ name, isRequired, children }: ParamProps) => (
  <div>
    <dt class="row" data-gap="2">
      <code>{name}</code> {isRequired === true && <span class="urgent small">required</span>}
    </dt>
    <dd class="stack-s">{children}</dd>
  </div>
)

type MembersProps = { document: ApiDocument; members: readonly [string, Schema][]; required: readonly string[] }

export function Members({ document, members, required }: MembersProps) {
  const unsupported = members.filter(([, { type, const: only }]) => type === 'null' || only === null)
  const supported = members.filter((member) => !unsupported.includes(member))
  return (
    <>
      <dl class="params">
        {supported.map(([name, schema]) => (
          <Param key={name} name={name} isRequired={required.includes(name)}>
            <SchemaView document={document} schema={schema} />
          </Param>
        ))}
      </dl>
      {unsupported.length > 0 && supported.length > 0 && (
        <Foldable summary={`${plural(unsupported.length, 'field')} that can only be null`}>
          {() => (
            <dl class="params">
              {unsupported.map(([name, { description = '' }]) => (
                <Param key={name} name={name}>
                  <p class="small soft">null</p>
                  {description !== '' && <Markdown text={description} />}
                </Param>
              ))}
            </dl>
          )}
        </Foldable>
      )}
    </>
  )
}

type ListProps = { document: ApiDocument; schemas: readonly Schema[]; summary: string }

function SchemaList({ document, schemas, summary }: ListProps) {
  if (!schemas.some((one) => hasInnerSchemas(document, one) || referencedName(one) !== null)) return null
  return (
    <Foldable summary={summary}>
      {() => (
        <ul class="plain stack">
          {schemas.map((one, at) => (
            <li key={at}>
              <SchemaView document={document} schema={one} />
            </li>
          ))}
        </ul>
      )}
    </Foldable>
  )
}

/** True if the schema has something to unfold. */
function hasInnerSchemas(document: ApiDocument, schema: Schema): boolean {
  const one = resolveReference(document, schema)
  return (
    one.properties !== undefined ||
    typeof one.additionalProperties === 'object' ||
    [one.oneOf, one.anyOf, one.allOf, one.prefixItems].some((some) =>
      (some ?? []).some((inner) => hasInnerSchemas(document, inner) || referencedName(inner) !== null),
    ) ||
    (one.items !== undefined && hasInnerSchemas(document, one.items))
  )
}

/** Returns the type in words: “ReadRequest”, “string or null”, “list of strings”, “list of ChatMessage”. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const name = referencedName(schema)
  const one = resolveReference(document, schema)
  if (name !== null)
    return one.type === 'object' || one.type === undefined ? name : `${name}, ${ownType(document, one)}`
  return ownType(document, one)
}

function ownType(document: ApiDocument, one: Schema): string {
  const choices = one.oneOf ?? one.anyOf
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(document, choice)))].join(' or ')
  if (one.allOf !== undefined) return one.allOf.map((part) => typeOf(document, part)).join(' and ')
  const types = typeof one.type === 'string' ? [one.type] : (one.type ?? [])
  return types.length === 0 ? 'anything' : types.map((type) => typeWord(document, one, type)).join(' or ')
}

function typeWord(
  document: ApiDocument,
  { items, prefixItems, format, properties, additionalProperties }: Schema,
  type: string,
): string {
  if (type === 'array') {
    if (prefixItems !== undefined) return 'list of fixed length'
    return items === undefined ? 'list' : `list of ${typeOf(document, items).replace(SIMPLE_TYPE, '$&s')}`
  }
  if (type === 'object' && properties === undefined && typeof additionalProperties === 'object') {
    const each = typeOf(document, additionalProperties)
    return each === 'anything' ? type : `object, each field ${each}`
  }
  return type === 'string' && format !== undefined ? `string (${format})` : type
}

/** A type whose plural has an s, alone or with its format or fields. */
const SIMPLE_TYPE = /^(?:string|number|integer|boolean|object)(?=$| \(|,)/

/** Returns the limits in words: “1 to 4,000 characters”, “at least 1”. */
export const limitsOf = (one: Schema): string =>
  [
    range(one.minLength, one.maxLength, (count) => plural(count, 'character')),
    range(one.minItems, one.maxItems, (count) => plural(count, 'entry', 'entries')),
    range(one.minimum, one.maximum === Number.MAX_SAFE_INTEGER ? undefined : one.maximum, formatNumber),
    one.exclusiveMinimum === undefined ? '' : `more than ${formatNumber(one.exclusiveMinimum)}`,
  ]
    .filter((words) => words !== '')
    .join(', ')

/** @param write writes a number, with its noun */
function range(least: number | undefined, most: number | undefined, write: (count: number) => string): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${write(least)}` : `${formatNumber(least)} to ${write(most)}`
  }
  if (most !== undefined) return `at most ${write(most)}`
  return least === undefined || least <= Number.MIN_SAFE_INTEGER ? '' : `at least ${write(least)}`
}
