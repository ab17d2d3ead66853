// API reference: the parameters, body and responses of one operation. Its title, description and access are in the page's HTML.
import { Foldable } from '../parts/foldable.view.tsx'
import { inlineMarkdown, Markdown } from '../parts/markdown.view.tsx'
import {
  leadOf,
  withoutNull,
  type ApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from './openapi-document.ts'
import { Members, Param, SchemaView, typeOf } from './schema.view.tsx'

export type OperationProps = { document: ApiDocument; operation: Operation }

type Places = readonly (readonly [place: Parameter['in'], title: string])[]

const IN_ADDRESS: Places = [
  ['path', 'Path'],
  ['query', 'Query'],
]
const IN_HEADERS: Places = [
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
]

export function OperationView({ document, operation }: OperationProps) {
  const { requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  const { rest } = leadOf(operation.description ?? '')
  return (
    <>
      <ParameterSections document={document} operation={operation} places={IN_ADDRESS} />
      {body !== undefined && (
        <section class="stack">
          <div>
            <h2>Body</h2>
            <p class="soft small">{typeOf(document, body)}</p>
          </div>
          <Body document={document} schema={body} />
        </section>
      )}
      <ParameterSections document={document} operation={operation} places={IN_HEADERS} />
      {rest !== '' && (
        <section class="stack-s">
          <h2>More about it</h2>
          <Markdown text={rest} />
        </section>
      )}
      <section class="stack">
        <h2>Response</h2>
        <div class="folds">
          {Object.entries(responses).map(([status, response]) => (
            <Foldable key={status} isOpen={isGood(status)} summary={<Summary status={status} response={response} />}>
              {() => <ResponseView document={document} response={response} />}
            </Foldable>
          ))}
        </div>
      </section>
    </>
  )
}

export const isGood = (status: string): boolean => status.startsWith('2')

const ParameterSections = ({ document, operation, places }: OperationProps & { places: Places }) => (
  <>
    {places.map(([place, title]) => {
      const shown = (operation.parameters ?? []).filter((one) => one.in === place)
      return (
        shown.length > 0 && (
          <section key={place} class="stack">
            <h2>{title}</h2>
            <dl class="params">
              {shown.map(({ name, required, description, schema = {} }) => (
                <Param key={name} name={name} isRequired={required}>
                  <SchemaView
                    document={document}
                    schema={description === undefined ? schema : { ...schema, description }}
                  />
                </Param>
              ))}
            </dl>
          </section>
        )
      )
    })}
  </>
)

/** The members of the body at once, without the line that it is an object. */
function Body({ document, schema }: { document: ApiDocument; schema: NonNullable<Parameter['schema']> }) {
  const { properties, required = [], description } = withoutNull(document, schema)
  if (properties === undefined) return <SchemaView document={document} schema={schema} isOpen />
  return (
    <>
      <Members document={document} members={Object.entries(properties)} required={required} />
      {description !== undefined && <Markdown text={description} />}
    </>
  )
}

function Summary({ status, response }: { status: string; response: Response }) {
  const codes = response['x-error-codes']
  return (
    <>
      <span class={isGood(status) ? 'badge good' : 'badge'}>{status}</span>{' '}
      {codes === undefined ? inlineMarkdown(response.description) : codes.join(', ')}
    </>
  )
}

function ResponseView({ document, response }: { document: ApiDocument; response: Response }) {
  const codes = response['x-error-codes'] ?? []
  const headers = Object.entries(response.headers ?? {})
  return (
    <div class="stack">
      {codes.length > 0 && (
        <p class="small">
          What to do:{' '}
          {codes.map((code, at) => (
            <>
              {at > 0 && ', '}
              <a href={`/docs/errors#${code}`}>{code}</a>
            </>
          ))}
        </p>
      )}
      {codes.length > 0 && response.description !== codes.join(', ') && <Markdown text={response.description} />}
      {headers.length > 0 && (
        <Foldable summary="Headers">
          {() => (
            <dl class="params">
              {headers.map(([name, { description = '' }]) => (
                <div key={name}>
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd>{inlineMarkdown(description)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Foldable>
      )}
      {Object.entries(response.content ?? {}).map(([type, { schema }]) => (
        <div key={type} class="stack-s">
          <p class="small">
            <code>{type}</code>
          </p>
          {schema !== undefined && <SchemaView document={document} schema={schema} isOpen={codes.length === 0} />}
        </div>
      ))}
    </div>
  )
}
