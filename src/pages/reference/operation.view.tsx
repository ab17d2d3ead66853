// One operation: what it does, who may call it, its request and responses, and a request to copy.
import { Command } from '../parts/copy.view.tsx'
import { Folded } from '../parts/folded.view.tsx'
import { inline, Prose } from '../parts/prose.view.tsx'
import type { ApiDocument, Operation, Parameter } from './api-document.ts'
import { curlLine, hasSdk, programLines } from './request-lines.ts'
import { Responses } from './responses.view.tsx'
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
