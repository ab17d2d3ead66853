// API reference: shows one operation: its description, who may call it, request, responses, and a request to copy.
import { CopyableText } from '../parts/copy-button.view.tsx'
import { Foldable } from '../parts/foldable.view.tsx'
import { inlineMarkdown, Markdown } from '../parts/markdown.view.tsx'
import type { ApiDocument, Operation, Parameter, Response } from './openapi-document.ts'
import { curlLine, hasSdk, programLines, sampleOf } from './request-samples.ts'
import { SchemaView } from './schema.view.tsx'

type Props = { document: ApiDocument; operation: Operation }

export function OperationView({ document, operation }: Props) {
  const { operationId, description, parameters = [], requestBody } = operation
  const body = requestBody?.content['application/json']?.schema
  return (
    <div class="stack-l">
      {description !== undefined && <Markdown text={description} />}
      <p class="small">
        <a href={`#${operationId}`}>Link to this</a> <code>{operationId}</code>
      </p>
      <Access document={document} operation={operation} />
      <div class="stack">
        <h4>Request</h4>
        <CopyableText line={curlLine(document, location.origin, operation)} />
        <Foldable summary={hasSdk(operation) ? 'With OpenAI’s SDK' : 'With fetch'}>
          {() => <CopyableText line={programLines(document, location.origin, operation)} what="the program" />}
        </Foldable>
      </div>
      {parameters.length > 0 && <Parameters document={document} parameters={parameters} />}
      {body !== undefined && (
        <div class="stack">
          <h4>Body</h4>
          <SchemaView document={document} schema={body} isOpen />
        </div>
      )}
      <Responses document={document} operation={operation} />
    </div>
  )
}

function Access({ document, operation: { security } }: Props) {
  const schemes = security.map((one) => Object.keys(one)[0])
  if (schemes.length === 0) return <p>Anybody may call it; no key is needed.</p>
  const described = schemes.flatMap((name) =>
    name === undefined ? [] : ([[name, document.components.securitySchemes[name]]] as const),
  )
  return (
    <div class="stack">
      <h4>Who may call it</h4>
      <ul>
        {described.map(([name, scheme]) => (
          <li key={name}>
            <code>{name}</code>: {inlineMarkdown(scheme?.description ?? '')}
          </li>
        ))}
        {schemes.includes(undefined) && <li>Also nobody in particular: no key and no session.</li>}
      </ul>
    </div>
  )
}

function Parameters({ document, parameters }: { document: ApiDocument; parameters: readonly Parameter[] }) {
  return (
    <div class="stack">
      <h4>Parameters</h4>
      <dl class="members">
        {parameters.map(({ name, in: place, required, description, schema = {} }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code> <span class="badge soft">{place}</span>{' '}
              {required === true && <span class="badge soft">required</span>}
            </dt>
            <dd>
              <SchemaView
                document={document}
                schema={description === undefined ? schema : { ...schema, description }}
              />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Responses({ document, operation }: { document: ApiDocument; operation: Operation }) {
  return (
    <div class="stack">
      <h4>Responses</h4>
      <div class="folds">
        {Object.entries(operation.responses).map(([status, response]) => (
          <Foldable
            key={status}
            summary={
              <>
                <strong class={status.startsWith('2') ? 'badge good' : 'badge soft'}>{status}</strong>{' '}
                <Summary response={response} />
              </>
            }
          >
            {() => <ResponseView document={document} response={response} />}
          </Foldable>
        ))}
      </div>
    </div>
  )
}

function Summary({ response }: { response: Response }) {
  const codes = response['x-error-codes']
  if (codes === undefined) return <>{inlineMarkdown(response.description)}</>
  return (
    <>
      {codes.map((code, at) => (
        <>
          {at > 0 && ' '}
          <code>{code}</code>
        </>
      ))}
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
            <dl class="members">
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
        <div key={type} class="stack">
          <p class="small">
            <code>{type}</code>
          </p>
          {schema !== undefined && <SchemaView document={document} schema={schema} isOpen={codes.length === 0} />}
          {schema !== undefined && type === 'application/json' && codes.length === 0 && (
            <Foldable summary="Example">
              {() => (
                <CopyableText line={JSON.stringify(sampleOf(document, schema, 'answer'), null, 2)} what="the example" />
              )}
            </Foldable>
          )}
        </div>
      ))}
    </div>
  )
}
