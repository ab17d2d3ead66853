// API reference: shows one operation: its description, who may call it, request, responses, and a request to copy.
import { Command } from '../parts/copy.view.tsx'
import { Folded } from '../parts/folded.view.tsx'
import { inline, Prose } from '../parts/prose.view.tsx'
import type { ApiDocument, Operation, Parameter, Response } from './api-document.ts'
import { curlLine, hasSdk, programLines, sampleOf } from './request-samples.ts'
import { SchemaView } from './schema.view.tsx'

type Given = { document: ApiDocument; operation: Operation }

export function OperationView({ document, operation }: Given) {
  const { operationId, description, parameters = [], requestBody } = operation
  const body = requestBody?.content['application/json']?.schema
  return (
    <div class="stack-l">
      {description !== undefined && <Prose text={description} />}
      <p class="small">
        <a href={`#${operationId}`}>Link to this</a> <code>{operationId}</code>
      </p>
      <Access document={document} operation={operation} />
      <div class="stack">
        <h4>Request</h4>
        <Command line={curlLine(document, location.origin, operation)} />
        <Folded summary={hasSdk(operation) ? 'With OpenAI’s SDK' : 'With fetch'}>
          {() => <Command line={programLines(document, location.origin, operation)} what="the program" />}
        </Folded>
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

function Access({ document, operation: { security } }: Given) {
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
            <code>{name}</code>: {inline(scheme?.description ?? '')}
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
          <Folded
            key={status}
            summary={
              <>
                <strong class={status.startsWith('2') ? 'badge good' : 'badge soft'}>{status}</strong>{' '}
                <Summary response={response} />
              </>
            }
          >
            {() => <ResponseView document={document} response={response} />}
          </Folded>
        ))}
      </div>
    </div>
  )
}

function Summary({ response }: { response: Response }) {
  const codes = response['x-error-codes']
  if (codes === undefined) return <>{inline(response.description)}</>
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
      {codes.length > 0 && response.description !== codes.join(', ') && <Prose text={response.description} />}
      {headers.length > 0 && (
        <Folded summary="Headers">
          {() => (
            <dl class="members">
              {headers.map(([name, { description = '' }]) => (
                <div key={name}>
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd>{inline(description)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Folded>
      )}
      {Object.entries(response.content ?? {}).map(([type, { schema }]) => (
        <div key={type} class="stack">
          <p class="small">
            <code>{type}</code>
          </p>
          {schema !== undefined && <SchemaView document={document} schema={schema} isOpen={codes.length === 0} />}
          {schema !== undefined && type === 'application/json' && codes.length === 0 && (
            <Folded summary="Example">
              {() => (
                <Command line={JSON.stringify(sampleOf(document, schema, 'answer'), null, 2)} what="the example" />
              )}
            </Folded>
          )}
        </div>
      ))}
    </div>
  )
}
