// The responses of an operation, by status. A refusal shows its error codes.
import { Command } from '../parts/copy.view.tsx'
import { Folded } from '../parts/folded.view.tsx'
import { inline, Prose } from '../parts/prose.view.tsx'
import type { ApiDocument, Operation, Response } from './api-document.ts'
import { sampleOf } from './sample.ts'
import { SchemaView } from './schema.view.tsx'

export function Responses({ document, operation }: { document: ApiDocument; operation: Operation }) {
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
